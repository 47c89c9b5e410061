import type { ComparedStep, Comparison } from '../checker/index.ts';
import type { Contract, DrawnArrow } from '../contract/index.ts';
import { printable } from '../diagnostics/index.ts';

type Both = readonly [Contract, Contract];

/** A comparison for a terminal. */
export function printComparison(
  both: Both,
  comparison: Comparison,
  remarks: readonly string[],
  ignoreText: boolean,
): string {
  const [a, b] = both;
  const orders = a.order === b.order ? a.order : `${a.order} and ${b.order}`;
  const head = [
    `A  ${nameOf(a)}`,
    `B  ${nameOf(b)}`,
    `order: ${orders}; ${ignoreText ? 'texts ignored' : 'texts compared'}`,
    ...remarks.map((remark) => `note: ${remark}`),
  ];
  return [...head, '', ...outcomeLines(both, comparison)].map((line) => `${printable(line).trimEnd()}\n`).join('');
}

const arrowText = ({ from, to, text, style }: DrawnArrow): string =>
  `${from} ${style === 'dashed' ? '-->' : '->'} ${to}${text.trim() === '' ? '' : `: ${text}`}`;

const nameOf = ({ spec }: Contract): string => `${spec.file} "${spec.name}"`;

function outcomeLines(both: Both, comparison: Comparison): readonly string[] {
  switch (comparison.kind) {
    case 'same':
      return ['= same: both allow the same traces'];
    case 'unknown':
      return [
        `? undecided: bound met: ${comparison.bound}`,
        `  no trace of up to ${comparison.depth} messages tells the two apart`,
      ];
    case 'different':
      return differenceLines(both, comparison);
  }
}

const SIDES = ['A', 'B'] as const;

function differenceLines(both: Both, difference: Comparison & { readonly kind: 'different' }): readonly string[] {
  const { allowedBy, at, trace, expected } = difference;
  const [lax, strict] = [SIDES[allowedBy], SIDES[allowedBy === 0 ? 1 : 0]];
  const stricter = both[allowedBy === 0 ? 1 : 0];
  const rows = trace.map((step, index) => stepCells(both, step, at === 'goes-on' && index === trace.length - 1));
  const columns = [0, 1].map((column) => Math.max(0, ...rows.map((cells) => cells[column]?.length ?? 0)));
  const claim =
    at === 'goes-on'
      ? `${lax} allows this trace, ${strict} does not allow its last message:`
      : trace.length === 0
        ? `${lax} allows that nothing happens, ${strict} does not`
        : `after this trace ${lax} may be over, and ${strict} may not:`;
  return [
    `✗ different: ${claim}`,
    ...rows.map(
      ([mark = '', text = '', where = '']) =>
        `  ${mark.padEnd(columns[0] ?? 0)} ${text.padEnd(columns[1] ?? 0)}   ${where}`,
    ),
    ...expectedLines(stricter, expected, strict),
  ];
}

const END_WORDS = { both: '', send: ' (sent)', receive: ' (received)' } as const;

/** Mark, the message in the words of the first side that has it, and where either side draws it. */
function stepCells(both: Both, { end, arrows }: ComparedStep, isLast: boolean): readonly string[] {
  const side = arrows[0].length > 0 ? 0 : 1;
  const drawn = both[side].drawn[arrows[side][0] ?? -1];
  const places = arrows.map((own, index) => {
    const lines = own.map((arrow) => both[index === 0 ? 0 : 1].drawn[arrow]?.line ?? 0);
    return lines.length === 0
      ? `${SIDES[index] ?? ''}: –`
      : `${SIDES[index] ?? ''}: line ${[...new Set(lines)].join(' or ')}`;
  });
  return [isLast ? '✗' : '|', `${drawn === undefined ? '' : arrowText(drawn)}${END_WORDS[end]}`, places.join('   ')];
}

const EXPECTED_MAX = 6;

function expectedLines(contract: Contract, expected: readonly number[], side: string): readonly string[] {
  if (expected.length === 0) return [`there ${side} allows nothing more`];
  const arrows = expected.flatMap((index) => contract.drawn[index] ?? []);
  const rest = arrows.length > EXPECTED_MAX ? [`  and ${arrows.length - EXPECTED_MAX} more`] : [];
  return [
    `there ${side} allows:`,
    ...arrows.slice(0, EXPECTED_MAX).map((arrow) => `  ${arrow.file}:${arrow.line}  ${arrowText(arrow)}`),
    ...rest,
  ];
}
