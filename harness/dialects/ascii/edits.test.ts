/** Edits of known effect on real drawings: each is read as a change, refused, or remarked at its row; none goes by unseen. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Diagram } from '../../diagram/index.ts';
import { isRefused, read } from './what-is-read.ts';

const FIXTURES = new URL('testdata/plantuml/', import.meta.url);
const RUNS = Number(process.env['ASCII_RUNS'] ?? 300);

/** Everything that is read and said, except where. */
function told(text: string): string {
  const { value, diagnostics } = read(text);
  const bare = JSON.stringify(value, (key, part: unknown) => (key === 'at' ? undefined : part));
  return `${bare} ${diagnostics.map(({ code }) => code).join()}`;
}

interface Drawing {
  readonly file: string;
  readonly rows: readonly (readonly string[])[];
  readonly diagram: Diagram;
}

/** Real drawings without an error; at least 200 of them. */
const DRAWINGS: readonly Drawing[] = readdirSync(FIXTURES)
  .filter((file) => /\.u?txt$/.test(file))
  .flatMap((file) => {
    const text = readFileSync(new URL(file, FIXTURES), 'utf8');
    return isRefused(text)
      ? []
      : [{ file, rows: text.split('\n').map((row) => Array.from(row)), diagram: read(text).value }];
  });

interface Site {
  readonly row: number;
  readonly column: number;
}

type Edit = (drawing: Drawing) => readonly { readonly site: Site; readonly glyphs: string }[];

const cells = (drawing: Drawing, isSite: (row: readonly string[], column: number, index: number) => boolean): Site[] =>
  drawing.rows.flatMap((row, index) =>
    row.flatMap((_, column) => (isSite(row, column, index) ? [{ row: index, column }] : [])),
  );

/** Tips of arrows: a head beside a shaft, on a row on which a message is. */
function tips(drawing: Drawing): Site[] {
  const text = drawing.rows.map((row) => row.join(''));
  const isNote = (row: readonly string[]): boolean => /[║!╔|_]\S*.*(?:text|note)|--->.*\||[\\]/.test(row.join(''));
  return cells(drawing, (row, column, index) => {
    const [before, glyph, after] = [row[column - 1] ?? '', row[column] ?? '', row[column + 1] ?? ''];
    const isTip = (glyph === '>' && /[-─]/.test(before)) || (glyph === '<' && /[-─]/.test(after));
    return isTip && !isNote(row) && !/[a-z]/i.test(text[index] ?? '');
  });
}

const at = (drawing: Drawing, row: number, column: number): string => drawing.rows[row]?.[column] ?? ' ';

const EDITS: Readonly<Record<string, Edit>> = {
  'a head is turned round': (drawing) =>
    tips(drawing).map((site) => ({ site, glyphs: at(drawing, site.row, site.column) === '>' ? '<' : '>' })),
  'a head is erased': (drawing) => tips(drawing).map((site) => ({ site, glyphs: ' ' })),
  'the end of an arrow is moved away from its lifeline': (drawing) =>
    (endsNowhere(drawing) ? [] : tips(drawing)).flatMap(({ row, column }) => {
      // The head moves six columns into its own shaft, which must be long enough.
      const isRight = at(drawing, row, column) === '>';
      const shaft = Array.from({ length: 9 }, (_, index) =>
        at(drawing, row, isRight ? column - 1 - index : column + 1 + index),
      );
      if (!shaft.every((glyph) => /[-─]/.test(glyph))) return [];
      return isRight
        ? [{ site: { row, column: column - 6 }, glyphs: '>      ' }]
        : [{ site: { row, column }, glyphs: '      <' }];
    }),
  'a cell of a lifeline is erased': (drawing) =>
    cells(drawing, (row, column, index) => {
      const isLine = (other: number): boolean =>
        /[│|]/.test(at(drawing, other, column)) &&
        /^ {2}$/.test(at(drawing, other, column - 1) + at(drawing, other, column + 1));
      return isLine(index) && isLine(index - 1) && isLine(index + 1) && isLifeline(drawing, column);
    }).map((site) => ({ site, glyphs: ' ' })),
  'a letter of a label is another': (drawing) =>
    drawing.diagram.messages.flatMap(({ text, at: { line, column } }) => {
      const row = drawing.rows[line - 1]?.join('') ?? '';
      const letter = row[column - 1] ?? '';
      // Only rows on which a UTF-16 unit is a cell.
      const isPlain = Array.from(row).length === row.length && text.startsWith(letter);
      return isPlain && /[a-y]/.test(letter) ? [{ site: { row: line - 1, column: column - 1 }, glyphs: 'z' }] : [];
    }),
};

/** An arrow that ends nowhere may end anywhere. */
const endsNowhere = ({ diagram }: Drawing): boolean =>
  diagram.messages.some(({ from, to }) => from === null || to === null);

/** The columns of participants: where a head's lower border, or the row under it, shows a line. */
const isLifeline = ({ diagram, rows }: Drawing, column: number): boolean =>
  diagram.participants.some(({ at: { line, column: start }, label }) => {
    const middle = start - 1 + label.length / 2;
    return Math.abs(middle - column) <= 1.5 && (rows[line + 2]?.[column] ?? ' ') !== ' ';
  });

function edited({ rows }: Drawing, { row, column }: Site, glyphs: string): string {
  const copy = rows.map((one) => [...one]);
  Array.from(glyphs).forEach((glyph, offset) => {
    const target = copy[row];
    if (target !== undefined) target[column + offset] = glyph;
  });
  return copy.map((one) => one.join('')).join('\n');
}

const whole = ({ rows }: Drawing): string => rows.map((row) => row.join('')).join('\n');

describe('an edit of a real drawing never goes by unseen', () => {
  test('there are at least 200 real drawings', () => {
    expect(DRAWINGS.length).toBeGreaterThanOrEqual(200);
  });

  const perKind = Math.ceil(RUNS / (Object.keys(EDITS).length + 1));

  test.each(Object.keys(EDITS))(`%s, ${perKind} times`, (name) => {
    const all = DRAWINGS.flatMap((drawing) => (EDITS[name]?.(drawing) ?? []).map((edit) => ({ drawing, ...edit })));
    expect(all.length).toBeGreaterThan(100);
    const step = Math.max(1, Math.floor(all.length / perKind));
    const unseen = all
      .filter((_, index) => index % step === 0)
      .filter(({ drawing, site, glyphs }) => told(edited(drawing, site, glyphs)) === told(whole(drawing)))
      .map(({ drawing, site }) => `${drawing.file}:${site.row + 1}:${site.column + 1}`);
    expect(unseen).toEqual([]);
  });

  test(`the last column is cut off, ${Math.min(perKind, DRAWINGS.length)} times`, () => {
    const unseen = DRAWINGS.slice(0, perKind).flatMap((drawing) => {
      const rows = drawing.rows.map((row) => row.join('').trimEnd());
      const width = Math.max(...rows.map((row) => row.length));
      const cut = rows.map((row) => row.slice(0, width - 1)).join('\n');
      // The ends of a divider say nothing.
      const lost = rows.map((row) => row[width - 1] ?? '').join('');
      return told(cut) === told(whole(drawing)) && /[^═=]/.test(lost) && !endsNowhere(drawing) ? [drawing.file] : [];
    });
    expect(unseen).toEqual([]);
  });
});

describe('one cell that is missing', () => {
  const DRAWN = new Set(Array.from("|-+<>.,'`!_~=/\\│─┐┘└┌├┤┬┴┼║═╔╗╚╝╟╠╣╪╤╧►◄"));
  /** Every so many cells of all drawings, one after the other. */
  const STRIDE = 61;
  /** Most errors of one cause. */
  const FEW = 2;
  const SHARE_MAX = 0.06;

  const erased = DRAWINGS.flatMap((drawing) =>
    cells(drawing, (row, column) => DRAWN.has(row[column] ?? ' ')).map((site) => ({ drawing, site })),
  )
    .filter((_, index) => index % STRIDE === 0)
    .map(({ drawing, site: { row, column } }) => {
      const rows = drawing.rows.with(row, (drawing.rows[row] ?? []).with(column, ' '));
      return { drawing, text: rows.map((glyphs) => glyphs.join('')).join('\n') };
    });

  test(`is seldom told more than ${FEW} times`, () => {
    const counts = erased.map(
      ({ text }) => read(text).diagnostics.filter(({ severity }) => severity === 'error').length,
    );
    expect(counts.length).toBeGreaterThan(500);
    expect(counts.filter((count) => count > FEW).length / counts.length).toBeLessThan(SHARE_MAX);
  });

  test('is a hole in a frame only where all else is read as without it', () => {
    const bare = ({ messages, fragments }: Diagram): string =>
      JSON.stringify([
        messages.map(({ from, to, text }) => [from, to, text]),
        fragments.map(({ kind, operands }) => [kind, operands.map(({ items }) => items)]),
      ]);
    const holes = erased.filter(({ text }) => {
      const { diagnostics } = read(text);
      return !isRefused(text) && diagnostics.some(({ message }) => message.includes('has a hole in its'));
    });
    expect(holes.length).toBeGreaterThan(10);
    for (const { drawing, text } of holes) expect(bare(read(text).value)).toBe(bare(drawing.diagram));
  });
});

describe('noise in a drawing', () => {
  const NOISE = fc.constantFrom(...Array.from(" │|─-><┌┐└┘├┤+.'`╔╗║╚!~_X#*/\\[](){}=×►◄客\u0301\t🚀"));

  test('never makes the reader throw, and every finding has a place in the text', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...DRAWINGS),
        fc.array(fc.tuple(fc.nat(), fc.nat(), NOISE), { minLength: 1, maxLength: 30 }),
        (drawing, noise) => {
          const copy = drawing.rows.map((row) => [...row]);
          for (const [row, column, glyph] of noise) {
            const target = copy[row % copy.length];
            if (target !== undefined && target.length > 0) target[column % target.length] = glyph;
          }
          const text = copy.map((row) => row.join('')).join('\n');
          const lines = text.split('\n');
          for (const { line, column } of read(text).diagnostics) {
            expect(line).toBeLessThanOrEqual(lines.length);
            expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});
