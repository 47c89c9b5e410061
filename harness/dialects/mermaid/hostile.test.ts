import { performance } from 'node:perf_hooks';
import { describe, expect, test } from '@jest/globals';
import { printMermaid, wholeFile } from '../../diagram/index.ts';
import { readMermaid } from './index.ts';

/** One mebibyte and a little: what nobody draws, but somebody sends. */
const fill = (piece: string): string => piece.repeat(Math.ceil((1024 * 1024) / piece.length));

/** A text below the header, and what it comes to: messages, fragments, errors. An error is a clear limit, too. */
const HOSTILE: readonly (readonly [name: string, body: string, messages: number, errors: number | 'some'])[] = [
  ['opening parentheses', fill('('), 0, 0],
  ['one line of letters', fill('a'), 0, 1],
  ['one message of one line', `A->>B: ${fill('text ')}`, 1, 0],
  ['one name of one line', `${fill('name-')}a->>B: x`, 1, 0],
  ['one declared name', `participant ${fill('name ')}`, 0, 0],
  ['nested alt', `${fill('alt x\n')}A->>B: x`, 0, 1],
  ['nested alt, closed', `${'alt x\n'.repeat(20_000)}A->>B: x\n${'end\n'.repeat(20_000)}`, 1, 0],
  ['ends', fill('end\n'), 0, 'some'],
  ['dashes', fill('-'), 0, 'some'],
  ['arrows', fill('->>'), 0, 'some'],
  ['a chain of arrows', fill('A->>'), 0, 1],
  ['blanks', fill(' '), 0, 0],
  ['blank lines', fill('\n'), 0, 0],
  ['blanks in a name', `A${fill(' ')}B->>C: x`, 1, 0],
  ['semicolons', fill(';'), 0, 0],
  ['hashes', fill('#'), 0, 0],
  ['percents', fill('%'), 0, 0],
  ['comment lines', fill('%% c\n'), 0, 0],
  ['directives', fill('%%{'), 0, 0],
  ['entity codes', `A->>B: ${fill('#35;')}`, 1, 0],
  ['open entity codes', `A->>B: ${fill('#a')}`, 1, 0],
  ['settings', `participant A${fill('@{')}`, 0, 'some'],
  ['settings of keys in keys', `participant A@{\n${'? '.repeat(500)}\n}`, 0, 0],
  ['settings of many braces', `participant A@{ ${fill('[')} }`, 0, 1],
  ['tags', `A->>B: ${fill('<a ="')}`, 1, 0],
  ['as', `participant A${fill(' as')}`, 0, 0],
  ['title', fill('title '), 0, 0],
  ['style', `A->>B: ${fill('style:#')}`, 1, 0],
  ['numbers', fill('1 '), 0, 1],
  ['links', fill('links '), 0, 1],
  ['activations', fill('activate A\n'), 0, 0],
  ['self messages that open and close', fill('A->>+A: x\nA->>-A: y\n'), 104_858, 0],
];

/** A guard against time that grows faster than the text; alone on a machine each takes well under a second. */
const LIMIT_MS = 5_000;

/**
 * Reads within the limit. What else the machine does must not count: the processor's time if that is less than the clock's, and
 * the best of three readings if the first is slow.
 */
function quickly(text: string): ReturnType<typeof readMermaid> {
  const times: number[] = [];
  for (;;) {
    const start = performance.now();
    const before = process.cpuUsage();
    const read = readMermaid(text, wholeFile('h.mmd', 'h'));
    const { user, system } = process.cpuUsage(before);
    times.push(Math.min(performance.now() - start, (user + system) / 1_000));
    if ((times.at(-1) ?? 0) < LIMIT_MS) return read;
    if (times.length === 3) throw new Error(`not within ${LIMIT_MS} ms: ${times.map(Math.round).join(', ')} ms`);
  }
}

describe('a hostile text of a megabyte is answered soon', () => {
  test.each(HOSTILE)('%s', (_, body, messages, errors) => {
    const text = `sequenceDiagram\n${body}`;
    const { value, diagnostics } = quickly(text);
    expect(value.messages).toHaveLength(messages);
    const found = diagnostics.filter(({ severity }) => severity === 'error').length;
    if (errors === 'some') expect(found).toBeGreaterThan(0);
    else expect(found).toBe(errors);
    expect(found).toBeLessThanOrEqual(201);
  });

  test('front matter that never ends, and a header that never comes', () => {
    for (const text of [`---\n${fill('a: b\n')}`, fill('---\n'), fill('%%{init\n'), fill('%%\n'), fill('\u0000')]) {
      const { diagnostics } = quickly(text);
      expect(diagnostics[0]?.code).toMatch(/^MER1(?:01|23)$/);
    }
  });

  test('what is nested twenty thousand deep is printed, too', () => {
    const depth = 20_000;
    const nested = `sequenceDiagram\n${'alt x\n'.repeat(depth)}A->>B: x\n${'end\n'.repeat(depth)}`;
    const { value } = readMermaid(nested, wholeFile('h.mmd', 'h'));
    expect(readMermaid(printMermaid(value), wholeFile('h.mmd', 'h')).value.fragments).toHaveLength(depth);
  });
});
