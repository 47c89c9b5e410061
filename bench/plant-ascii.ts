import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `npm run plant:ascii`: plants a regression in each stage of the drawing reader, one at a time and in a copy, and counts how
 * many turn the fixtures red. One that stays green is a hole in the tests; one that no longer applies must be written anew.
 */
interface Plant {
  readonly file: string;
  readonly what: string;
  readonly find: string;
  readonly put: string;
}

const PLANTS: readonly Plant[] = [
  { file: 'cells.ts', what: 'comment signs are kept', find: 'offset < skipped || ', put: '' },
  {
    file: 'cells.ts',
    what: 'a lost indent is not found again',
    find: 'if (shift > 0 && first',
    put: 'if (shift > 99 && first',
  },
  { file: 'cells.ts', what: 'page breaks are kept', find: 'PAGE_FOOT.test(line)', put: 'false' },
  { file: 'display-width.ts', what: 'wide characters are narrow', find: 'else return 2;', put: 'else return 1;' },
  { file: 'boxes.ts', what: 'frames are boxes', find: 'if (drawn > 0 && drawn * 2', put: 'if (drawn < 0 && drawn * 2' },
  {
    file: 'icons.ts',
    what: 'databases are not seen',
    find: 'return databaseAt(canvas, row, column);',
    put: 'return null;',
  },
  {
    file: 'lifelines.ts',
    what: 'nobody is created',
    find: 'found.push(lifeline);\n      know(lifeline);',
    put: 'know(lifeline);',
  },
  {
    file: 'plain-names.ts',
    what: 'names belong to the wrong lifeline',
    find: 'if (over >= 0) return over;',
    put: 'if (over >= 0) return columns.length - 1 - over;',
  },
  {
    file: 'plain-names.ts',
    what: 'titles are names',
    find: 'if (isComplete && isTitle(columns, names, found)) break;',
    put: '',
  },
  {
    file: 'odd-shafts.ts',
    what: 'middle dots are no dashes',
    find: 'return isMiddle || isAlternating ? DASHED : null;',
    put: 'return null;',
  },
  {
    file: 'arrows.ts',
    what: 'arrows that float are refused',
    find: 'floating(setting, shaft, drawn) ?? ',
    put: '',
  },
  {
    file: 'names-again.ts',
    what: 'second drawings are read on',
    find: 'if (box === undefined && again === null) return skeleton;',
    put: 'if (box === undefined) return skeleton;',
  },
  {
    file: 'reports.ts',
    what: 'what follows from a missing name is told',
    find: 'return !isAtOther || ',
    put: 'return ',
  },
  { file: 'bars.ts', what: 'bars never begin', find: 'return depth + 1;', put: 'return depth;' },
  { file: 'crosses.ts', what: 'crosses are not seen', find: 'const CORNERS_MIN = 3;', put: 'const CORNERS_MIN = 9;' },
  {
    file: 'frames.ts',
    what: 'else is lost',
    find: 'const operands = [first, ...laterOperands(setting, corner, bottom)];',
    put: 'const operands = [first];',
  },
  {
    file: 'compact-frames.ts',
    what: 'frames of 1.2026.8 lose their guards',
    find: "guard === 'null' ? '' : guard",
    put: "''",
  },
  {
    file: 'drawn-frames.ts',
    what: 'frames by hand are not found',
    find: 'if (keyword === null || kind === undefined) {',
    put: 'if (kind === undefined) return null;\n  if (keyword === null) {',
  },
  {
    file: 'notes.ts',
    what: 'notes are not masked',
    find: "canvas.claimBox(top, left, bottom, right, 'note')",
    put: "canvas.claimBox(top, left, top, right, 'note')",
  },
  {
    file: 'swallowed.ts',
    what: 'swallowed arrows are not told',
    find: 'if (shows || covered)',
    put: 'if (shows && covered && row < 0)',
  },
  { file: 'states.ts', what: 'states are not seen', find: 'if (!/[([]/.test(line)) continue;', put: 'continue;' },
  {
    file: 'crossings.ts',
    what: 'crossing messages are not seen',
    find: 'if (landing === null) return null;',
    put: 'return null;',
  },
  {
    file: 'loops.ts',
    what: 'loops come back too late',
    find: 'const LOOP_ROWS_MAX = 8;',
    put: 'const LOOP_ROWS_MAX = 1;',
  },
  {
    file: 'arrows.ts',
    what: 'dashed is solid',
    find: "return isEvenlyDashed(middle) ? 'dashed' : null;",
    put: "return isEvenlyDashed(middle) ? 'solid' : null;",
  },
  { file: 'arrows.ts', what: 'ends reach too far', find: 'const HEAD_REACH = 2;', put: 'const HEAD_REACH = 9;' },
  {
    file: 'labels.ts',
    what: 'labels keep one row',
    find: 'rows.unshift(chunks);',
    put: 'rows.unshift(chunks);\n    break;',
  },
  { file: 'local-texts.ts', what: 'any text is a note', find: 'near <= BESIDE_MAX ||', put: 'near <= 40 ||' },
  {
    file: 'leftovers.ts',
    what: 'leftovers are not told',
    find: 'for (const chunk of canvas.chunks(row)) report(',
    put: 'for (const chunk of canvas.chunks(row).slice(9)) report(',
  },
  {
    file: 'messages.ts',
    what: 'a chain to the left is read from the left',
    find: 'isChain && leftwards && !rightwards ?',
    put: 'isChain && !leftwards && rightwards ?',
  },
  {
    file: 'labels.ts',
    what: 'labels are never below, throughout',
    find: 'loops.length === 0 && standBelow(',
    put: 'loops.length > 0 && standBelow(',
  },
  {
    file: 'labels.ts',
    what: 'pieces of shafts are labels',
    find: 'ASCII_SHAFT.test(text) ||',
    put: '',
  },
  {
    file: 'local-texts.ts',
    what: 'frames in words are notes',
    find: 'if (word === undefined) return false;',
    put: 'if (word !== undefined) return false;\n  if (word === undefined) return false;',
  },
  {
    file: 'loops.ts',
    what: 'loops without a corner are not seen',
    find: 'else if (isCornerless(',
    put: 'else if (row < 0 && isCornerless(',
  },
  {
    file: 'labels.ts',
    what: 'remarks are labels',
    find: 'if (apart > 0) claimRemark(',
    put: 'if (apart > 99) claimRemark(',
  },
  {
    file: 'labels.ts',
    what: 'text under an arrow is the next label',
    find: 'if (goesOnUnder(',
    put: 'if (row < 0 && goesOnUnder(',
  },
  {
    file: 'tall-boxes.ts',
    what: 'tall boxes are not seen',
    find: 'if (boxes.length < 2 ||',
    put: 'if (boxes.length < 99 ||',
  },
  {
    file: 'tall-boxes.ts',
    what: 'cut boxes are whole',
    find: 'if (box.isOpen) {',
    put: 'if (box.isOpen && box.top < 0) {',
  },
  {
    file: 'text-columns.ts',
    what: 'flights keep one row',
    find: 'if (side !== null) pending[side].push(chunk);',
    put: 'if (side !== null) pending[side].splice(0, 9, chunk);',
  },
  {
    file: 'text-columns.ts',
    what: 'any two stubs are an arrow',
    find: 'if (isOneWay && ',
    put: 'if (first !== undefined && ',
  },
  {
    file: 'tree.ts',
    what: 'messages fall out of their frames',
    find: 'frame.top < message.row',
    put: 'frame.bottom < message.row',
  },
];

const ROOT = join(import.meta.dirname, '..');
const ROOM = 'harness/dialects/ascii';
const TESTS = ['read-ascii', 'careless', 'families', 'drawn-frames', 'tall-boxes', 'text-columns', 'plantuml'].map(
  (name) => `${ROOM}/${name}`,
);

function isRed(copy: string): boolean {
  const jest = join(copy, 'node_modules/jest/bin/jest.js');
  const args = [
    '--disable-warning=ExperimentalWarning',
    '--experimental-vm-modules',
    jest,
    '--silent',
    '--bail',
    '--maxWorkers=1',
    ...TESTS,
  ];
  return spawnSync(process.execPath, args, { cwd: copy, stdio: 'ignore', timeout: 300_000 }).status !== 0;
}

function main(): void {
  const copy = mkdtempSync(join(tmpdir(), 'plant-'));
  try {
    for (const part of [
      'harness/dialects',
      'harness/diagram',
      'harness/diagnostics',
      'harness/testing/fixed-seed.ts',
      'specs/create-pod',
      'package.json',
      'tsconfig.json',
      'jest.config.ts',
    ]) {
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    if (isRed(copy)) throw new Error('the fixtures are red before anything is planted');
    let caught = 0;
    for (const { file, what, find, put } of PLANTS) {
      const path = join(copy, ROOM, file);
      const source = readFileSync(path, 'utf8');
      if (!source.includes(find)) console.log(`  cannot be planted: ${file}, ${what}`);
      else {
        writeFileSync(
          path,
          source.replace(find, () => put),
        );
        const red = isRed(copy);
        if (red) caught++;
        console.log(`  ${red ? 'red  ' : 'GREEN'} ${file}: ${what}`);
        writeFileSync(path, source);
      }
    }
    console.log(`${caught} of ${PLANTS.length} planted regressions turn the fixtures red`);
    process.exitCode = caught === PLANTS.length ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

main();
