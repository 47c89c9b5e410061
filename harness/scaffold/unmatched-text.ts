import { arrowsSeen, nearMisses, type NearMiss } from '../checker/index.ts';
import type { Contract, DrawnArrow } from '../contract/index.ts';
import { printable } from '../diagnostics/index.ts';
import type { Diagram } from '../diagram/index.ts';
import type { Trace } from '../trace/index.ts';
import { bodyLines } from './binding-text.ts';
import { textOf } from './patterns.ts';
import { beginningOf, type Candidate } from './sight.ts';
import { entriesOf, proposeFor, scaffold, type Scaffold } from './scaffold.ts';

export interface UnmatchedOptions {
  /** Drawn arrows that no event of the trace was taken for, by index: the verdict knows them. */
  readonly unseen: ReadonlySet<number>;
  /** What the drawing is called beside others; default: its name. */
  readonly name?: string;
  /** The file that the lines are for. */
  readonly bindingFile: string;
  /** The command that writes such a file. */
  readonly command: string;
}

const ARROWS_MAX = 20;
const CANDIDATES_MAX = 3;
/** A drawing that is bound was thought about: an arrow without a likely event is merely one that did not happen. */
const WORTH_TELLING = 0.3;

/**
 * The arrows that no event of a trace matched, what each could be, and the lines of a binding that would say so; empty where every
 * arrow is matched, or nothing is likely. For a drawing that is bound, only what its binding leaves open.
 */
export function unmatchedText(diagram: Diagram, contract: Contract, trace: Trace, options: UnmatchedOptions): string {
  const { unseen } = options;
  if (diagram.dialect === 'steps' || trace.events.length === 0) return '';
  if (!contract.messages.some(({ kind, drawn }) => kind !== 'reply' && unseen.has(drawn))) return '';
  const isBound = contract.binding !== null;
  const made = isBound ? proposeFor(contract, trace) : scaffold(diagram, trace);
  const begun = beginningOf(trace);
  const nearly = nearMisses(contract, begun, unseen);
  const nearTo = ({ index }: DrawnArrow): readonly NearMiss[] => nearly.filter(({ arrow }) => arrow === index);
  // What others wait for comes first, however unlike it anything is.
  const awaited = new Set(nearly.flatMap(({ serves }) => (serves !== undefined && unseen.has(serves) ? [serves] : [])));
  const proposals = made.proposals
    .filter(
      ({ arrow, candidates: [first] }) =>
        unseen.has(arrow.index) &&
        (!isBound || awaited.has(arrow.index) || nearTo(arrow).length > 0 || (first?.likeness ?? 0) >= WORTH_TELLING),
    )
    .sort((a, b) => Number(awaited.has(b.arrow.index)) - Number(awaited.has(a.arrow.index)));
  const asDrawn = arrowsSeen(contract, begun);
  const solved = solvedArrows(contract, made, unseen).filter(({ index }) => !asDrawn.has(index));
  // That some arrows did not happen is no news where others did, and nothing is left that they could be.
  const isTold = asDrawn.size === 0 || proposals.some(({ candidates }) => candidates.length > 0) || nearly.length > 0;
  if (proposals.length + solved.length === 0 || (!isTold && solved.length === 0)) return '';
  const rest = proposals.length > ARROWS_MAX ? [`  and ${proposals.length - ARROWS_MAX} more`] : [];
  const alreadyBound = new Set(contract.bound);
  const near = (arrow: DrawnArrow): readonly string[] =>
    nearTo(arrow).map((miss) => (miss.differs === 'serves' ? servesLine(contract, miss, unseen) : nearLine(miss)));
  const lines = [
    `${options.name ?? contract.spec.name}: arrows that no event matched, and the likeliest events that no arrow takes:`,
    ...proposals.slice(0, ARROWS_MAX).flatMap((proposal) => {
      const { arrow, candidates } = proposal;
      const isMatchedBut = nearTo(arrow).some(({ differs }) => differs === 'serves');
      const isWrong = alreadyBound.has(arrow.index) && !isMatchedBut;
      const head = `  line ${arrow.line}  ${nameOf(arrow)}${isWrong ? '  (what the binding says of it matches no event)' : ''}`;
      const likely = isMatchedBut ? [] : candidates.slice(0, CANDIDATES_MAX);
      const none = candidates.length + near(arrow).length === 0 ? ['    nothing passes there that no arrow takes'] : [];
      return [head, ...near(arrow), ...likely.map(candidateLine), ...none];
    }),
    ...rest,
    ...solved
      .slice(0, ARROWS_MAX)
      .flatMap((arrow) => [`  line ${arrow.line}  ${nameOf(arrow)}: matched by names below`, ...near(arrow)]),
    ...pasteLines(
      { ...made, proposals: proposals.filter(({ arrow }) => !alreadyBound.has(arrow.index)) },
      isBound,
      options,
    ),
  ];
  return lines.map((line) => `${printable(line).trimEnd()}\n`).join('');
}

/** Arrows that need no line of their own: with participants and parameters named, they match as they are drawn. */
function solvedArrows({ messages, drawn }: Contract, made: Scaffold, unseen: ReadonlySet<number>): DrawnArrow[] {
  const calls = new Set(messages.flatMap((message) => (message.kind === 'reply' ? [] : [message.drawn])));
  const proposed = new Set(made.proposals.map(({ arrow }) => arrow.index));
  return drawn.filter(
    ({ index }) => calls.has(index) && unseen.has(index) && !proposed.has(index) && made.matched.includes(index),
  );
}

const nameOf = ({ from, to, text, style }: DrawnArrow): string =>
  `${from} ${style === 'dashed' ? '-->' : '->'} ${to}${text.trim() === '' ? '' : `: ${text}`}`;

function candidateLine({ one, via, likeness }: Candidate): string {
  const relayed = via === null ? '' : ` (relayed by ${via.relay})`;
  return `    ${String(one.events.length).padStart(5)} × ${one.from} → ${one.to}  ${one.kind}  ${textOf(one)}${relayed}  likeness ${likeness.toFixed(2)}`;
}

const nearLine = ({ sourced: { event, source, line }, differs }: NearMiss): string =>
  `    ${source}:${line}  ${event.from} → ${event.to}  ${event.label}  is like it (its ${differs} differs${differs === 'kind' ? `: ${event.kind}` : ''})`;

function servesLine({ drawn }: Contract, miss: NearMiss, unseen: ReadonlySet<number>): string {
  const { event, source, line } = miss.sourced;
  const served = drawn[miss.serves ?? -1];
  const text =
    served === undefined ? 'what it is drawn to serve' : `line ${served.line} ${JSON.stringify(served.text)}`;
  const why = unseen.has(miss.serves ?? -1) ? ', which no event matched' : ', by its `parent`';
  return `    ${source}:${line}  ${event.from} → ${event.to}  ${event.label}  is as drawn, but does not serve ${text}${why}`;
}

function pasteLines(made: Scaffold, isBound: boolean, { bindingFile, command }: UnmatchedOptions): readonly string[] {
  const entries = entriesOf(made.contract, made.proposals);
  // What the binding says already is not said again; a participant is named only where its name is wrong.
  const wrong = made.namesakes.filter(({ name, why }) => name !== null && why !== 'same');
  const body = bodyLines(isBound ? { ...made, parameters: NONE, namesakes: wrong } : made, entries, []);
  const rest = wrong.length > 0 ? ', in place of what it says of these participants' : '';
  const written = isBound ? rest : `, or let it be written: ${command}`;
  if (body.length === 0) return isBound ? [] : [`to begin a binding: ${command}`];
  return [`lines for ${bindingFile}${written}`, ...body.map((line) => `  ${line}`)];
}

const NONE: Scaffold['parameters'] = { parameters: [], instance: [], others: [] };
