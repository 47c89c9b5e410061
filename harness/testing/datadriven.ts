import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';

/** One stanza of a transcript: a command line, the input under it, and the output last accepted. */
export interface Stanza {
  readonly command: string;
  readonly args: ReadonlyMap<string, string>;
  readonly input: string;
  readonly expected: string;
  readonly line: number;
  /** Comment and blank lines before the command, kept so that a rewrite loses nothing. */
  readonly preamble: readonly string[];
}

const RULE = '----';
const isRewriting = process.env['REWRITE'] === '1';

/**
 * Registers one test per stanza of every `.txt` file in `dir`; stanzas of a file run in order. `REWRITE=1` accepts the
 * actual output instead, and that diff is read as code.
 */
export function datadriven(dir: string, begin: () => (stanza: Stanza) => string): void {
  for (const name of readdirSync(dir)
    .filter((file) => file.endsWith('.txt'))
    .sort()) {
    const path = join(dir, name);
    const stanzas = readStanzas(readFileSync(path, 'utf8').split('\n'));
    const actual = stanzas.map((stanza) => stanza.expected);
    const run = begin();
    describe(name, () => {
      test.each(stanzas.map((stanza, index) => [titleOf(name, stanza), stanza, index] as const))(
        '%s',
        (_, stanza, index) => {
          actual[index] = run(stanza).trimEnd();
          if (!isRewriting) expect(actual[index]).toBe(stanza.expected);
        },
      );
      if (isRewriting)
        afterAll(() => {
          writeFileSync(path, `${stanzas.map((stanza, index) => print(stanza, actual[index] ?? '')).join('\n\n')}\n`);
        });
    });
  }
}

function titleOf(file: string, stanza: Stanza): string {
  const purpose = stanza.preamble.filter((line) => line.startsWith('#')).map((line) => line.slice(1).trim());
  return `${file}:${stanza.line} ${purpose.length > 0 ? purpose.join(' ') : stanza.command}`;
}

function readStanzas(lines: readonly string[]): Stanza[] {
  const stanzas: Stanza[] = [];
  let at = 0;
  const takeWhile = (wanted: (line: string) => boolean): string[] => {
    const start = at;
    while (at < lines.length && wanted(lines[at] ?? '')) at++;
    return lines.slice(start, at);
  };
  for (;;) {
    const preamble = takeWhile((line) => line === '' || line.startsWith('#'));
    if (at >= lines.length) return stanzas;
    const line = at + 1;
    const [command = '', ...args] = (lines[at++] ?? '').split(/\s+/);
    const input = takeWhile((text) => text !== RULE);
    if (at >= lines.length) throw new Error(`line ${line}: "${command}" has no ${RULE}`);
    at++;
    const expected = takeWhile((text) => text !== '');
    stanzas.push({
      command,
      args: new Map(args.map(splitArg)),
      input: input.join('\n'),
      expected: expected.join('\n'),
      line,
      preamble,
    });
  }
}

function splitArg(text: string): readonly [string, string] {
  const eq = text.indexOf('=');
  return eq < 0 ? [text, ''] : [text.slice(0, eq), text.slice(eq + 1)];
}

function print({ preamble, command, args, input }: Stanza, output: string): string {
  const head = [command, ...[...args].map(([key, value]) => (value === '' ? key : `${key}=${value}`))].join(' ');
  // Stanzas are separated by one blank line, written by the caller.
  const comments = preamble.filter(
    (line, index) => line !== '' || preamble.slice(0, index).some((earlier) => earlier !== ''),
  );
  return [...comments, head, ...(input === '' ? [] : [input]), RULE, ...(output === '' ? [] : [output])].join('\n');
}
