import { repetitions, structuredLines } from './explain-structure.ts';
import { printWords } from './label-words.ts';
import { foldName } from './names.ts';
import { overtakenPairs } from './overtaking.ts';
import { printTemplate } from './template.ts';
import type {
  Contract,
  ContractMessage,
  ContractNote,
  EventPattern,
  Lifeline,
  Matcher,
  Selector,
  StatusRule,
} from './types.ts';
import {
  guessedPlaceholders,
  indistinctBranches,
  loopsForEach,
  runawayLoops,
  unorderedNeighbours,
} from './unenforced.ts';
import { clean, lineName, lineOf, messagesIn, nodesOf, placeName } from './walk-term.ts';

/** The contract in words: what is matched by what, in which order, what the binding takes out, and what nothing orders. */
export function explainContract(contract: Contract): string {
  const { spec, binding } = contract;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['participants', contract.lifelines.map(participantLine)],
    ['instance', instanceLines(contract)],
    ['messages', drawnLines(contract)],
    ['order', orderLines(contract)],
    ['where drawing and system differ', contract.notes.map((note) => noteLine(contract, note))],
    ['side by side', concurrentLines(contract)],
    ['beside the order', ruleLines(contract)],
    ['drawn one after the other, but not enforced', unorderedNeighbours(contract)],
    ['branches that begin alike', indistinctBranches(contract)],
    ['loops without a brake', runawayLoops(contract)],
    ['guessed', [...guessedPlaceholders(contract), ...loopsForEach(contract)]],
  ];
  const source =
    binding === null ? 'without a binding: only what the drawing itself says' : `bound by ${clean(binding)}`;
  return [
    `${clean(spec.name)} (${clean(spec.file)}), ${source}`,
    ...sections
      .filter(([, lines]) => lines.length > 0)
      .flatMap(([title, lines]) => ['', `${title}:`, ...lines.map((line) => `  ${line}`)]),
    '',
  ].join('\n');
}

const participantLine = ({ id, label, traced }: Lifeline): string => {
  const name = foldName(id) === foldName(label) ? clean(label) : `${clean(label)} (${clean(id)})`;
  return `${name}: traced as ${traced.map(selectorText).join(' or ')}`;
};

const selectorText = ({ name, when }: Selector): string =>
  when === undefined ? clean(name) : `${clean(name)} when ${clean(when)}`;

function instanceLines({ key, parameters, only, closed }: Contract): string[] {
  const lines = parameters.map(({ name, example, from, guessed }) => {
    const drawn = example === undefined ? '' : `, drawn as ${clean(example)}`;
    const found = from === undefined ? ', found where a pattern captures it' : `, found by ${clean(from)}`;
    return `${clean(name)}${drawn}${found}${guessed ? ' (guessed from the drawing; no binding declares it)' : ''}`;
  });
  const named =
    key.length === 0
      ? 'no parameter: one instance, or one per trace id'
      : `one instance per ${key.map(clean).join(', ')}`;
  return [
    ...lines,
    named,
    ...(only === undefined ? [] : [`events are outside the contract unless ${clean(only)}`]),
    ...(closed ? ['closed: an event between drawn participants that matches nothing is a violation'] : []),
  ];
}

function drawnLines(contract: Contract): string[] {
  const byArrow = contract.drawn.map((): ContractMessage[] => []);
  for (const message of contract.messages) if (message.entry === undefined) byArrow[message.drawn]?.push(message);
  const often = repetitions(contract);
  return structuredLines(contract, (drawn) => {
    const arrow = contract.drawn[drawn];
    const text = arrow?.text ?? '';
    const head = `${placeName(contract, arrow)}  ${text.trim() === '' ? '(no text)' : clean(text)}`;
    const messages = byArrow[drawn] ?? [];
    if (messages.length === 0) return [`${head}: no message`];
    return messages.map((message) => {
      const times = often.get(message.index);
      return `${head}: ${messageText(contract, message)}${times === undefined ? '' : `, ${times}`}`;
    });
  });
}

/** What the binding and the drawing say beside the order. */
function ruleLines(contract: Contract): string[] {
  const { guards = [], timings = [], forbidden = [], lifetimes = [], gaps = [], inlined = [], lifelines } = contract;
  const linesOf = (messages: readonly number[]): string =>
    [...new Set(messages.map((message) => lineName(contract, message)))].join(', ');
  const retried = contract.messages.filter(({ retry, entry }) => retry !== undefined && entry === undefined);
  return [
    ...guards.map(({ text, when }) => `"${clean(text)}" is entered only by an event of which ${clean(when)}`),
    ...nodesOf(contract.term).flatMap((node) =>
      node.kind === 'loop' && node.each !== undefined
        ? [`the loop of ${linesOf(messagesIn(node).slice(0, 1))} goes round for each ${clean(node.each)} by itself`]
        : [],
    ),
    ...timings.map(({ from, to, maxMs }) => `${linesOf(to)} comes within ${maxMs} ms after ${linesOf(from)}`),
    ...forbidden.map(({ name, ...pattern }) => `"${clean(name)}" must never occur: ${patternText(contract, pattern)}`),
    ...(contract.ends === undefined ? [] : [`an instance is over at ${patternText(contract, contract.ends)}`]),
    ...(contract.runs === 'once' ? ['an instance goes through the drawing only once'] : []),
    ...(contract.errors === 'violate' ? ['a call that is answered by an error violates, where no reply is drawn'] : []),
    ...(contract.exclusive === true ? ['no two instances are in one critical fragment at the same time'] : []),
    ...retried.map(({ index, retry }) => {
      const statuses = retry?.on.join(', ') ?? '';
      return `${linesOf([index])} may be tried again ${retry?.max ?? 0} times, unanswered or answered by ${statuses}`;
    }),
    ...lifetimes.map(({ lifeline, created, destroyed }) => {
      const name = clean(lifelines[lifeline]?.label ?? '');
      const from = created === null ? '' : ` from ${linesOf([created])} on`;
      return `${name} exists${from}${destroyed === null ? '' : ` until ${linesOf([destroyed])}`}`;
    }),
    ...inlined.map(
      ({ text, name, from, arrows, ...at }) =>
        `${placeName(contract, at)} refers to ${clean(text)}: ${clean(name)} (${clean(from)}) stands there, ${arrows} arrows; what binds them is this binding`,
    ),
    ...gaps.map(({ text, ...at }) => `${placeName(contract, at)} refers to ${clean(text)}: anything may happen there`),
  ];
}

function patternText(contract: Contract, { from, to, isReply, match }: EventPattern): string {
  const ends =
    from === null || to === null
      ? []
      : [
          [from, to]
            .map((selectors) => selectors.map(selectorText).join(' or '))
            .join(isReply === true ? ' --> ' : ' -> '),
        ];
  return [...ends, ...matcherTexts(contract, match)].join(', ');
}

function messageText(contract: Contract, message: ContractMessage): string {
  const { from, to, kind, match, replyOf } = message;
  const shaft = kind === 'reply' ? '-->' : '->';
  const ends = `${endName(contract, from)} ${shaft} ${endName(contract, to)}`;
  const what = kind === 'send' ? sendText(contract, match) : kind;
  const answers = replyOf === undefined ? '' : ` to ${lineName(contract, replyOf)}`;
  const receipt = { owed: [], free: ['may be lost'], never: ['must not be received'] }[message.receipt ?? 'owed'];
  return [`${ends}, ${what}${answers}`, ...receipt, ...matcherTexts(contract, match)].join(', ');
}

function sendText(contract: Contract, { orReply }: Matcher): string {
  if (orReply === undefined) return 'call or message';
  const calls = [...new Set((orReply.calls ?? []).map((call) => lineName(contract, call)))];
  const status = orReply.status === undefined ? '' : ` with ${statusText(orReply.status)}`;
  return `call, message or reply${calls.length === 0 ? '' : ` to ${calls.join(' or ')}`}${status}`;
}

const endName = ({ lifelines }: Contract, end: number | null): string =>
  end === null ? '(not drawn)' : clean(lifelines[end]?.label ?? '');

function matcherTexts(contract: Contract, match: Matcher): string[] {
  const texts: string[] = [];
  if (match.template !== undefined) texts.push(clean(printTemplate(match.template)));
  if (match.words !== undefined) texts.push(`labelled "${clean(printWords(match.words))}"`);
  if (match.label !== undefined) texts.push(`labelled "${clean(match.label)}"`);
  if (match.when !== undefined) texts.push(`when ${clean(match.when)}`);
  if (match.status !== undefined) texts.push(statusText(match.status));
  if (match.via !== undefined) {
    const relays = match.via.relays.map((relay) => relay.map(selectorText).join(' or ')).join(', ');
    texts.push(`relayed by ${relays}, hops linked by ${clean(match.via.link)}`);
  }
  if (match.inside.kind === 'message') texts.push(`caused by ${lineName(contract, match.inside.message)}`);
  if (match.inside.kind === 'caller' && match.inside.call !== null)
    texts.push(`while serving ${lineName(contract, match.inside.call)}`);
  return texts;
}

function statusText(rule: StatusRule): string {
  switch (rule.kind) {
    case 'exact':
      return `status ${rule.status}`;
    case 'class':
      return `status ${rule.hundreds}xx`;
    case 'success':
    case 'error':
      return `any ${rule.kind} status`;
    case 'anyOf':
      return rule.rules.map(statusText).join(' or ');
  }
}

const ORDERS = {
  strict: 'strict: every message waits for all that is drawn before it',
  lifeline:
    'lifeline: on each participant, messages come in the order drawn, within what alternatives and repetitions allow; nothing else is ordered',
  causal: 'causal: a participant waits only for what it must have learnt before it acts',
} as const;

function orderLines(contract: Contract): string[] {
  const pairText = ([one, other]: readonly [number, number]): string =>
    `${lineName(contract, one)} before ${lineName(contract, other)}`;
  const bridged = [...new Set(contract.bridged.map(pairText))];
  const ordered = [...new Set((contract.ordered ?? []).map(pairText))];
  return [
    ORDERS[contract.order],
    ...bridged.map((pair) => `${pair}, through a message that this trace cannot show`),
    ...ordered.map((pair) => `${pair}, promised by the binding`),
    ...overtakingLines(contract),
  ];
}

/** Who overtakes whom, and what that asks of a trace. */
function overtakingLines(contract: Contract): string[] {
  const lines = overtakenPairs(contract).map(([one, other, isOvertaken]) => {
    const [first, second] = [lineName(contract, one), lineName(contract, other)];
    return isOvertaken
      ? `${second} overtakes ${first}: it is sent later and received earlier`
      : `${first} is still on its way when ${second} is sent`;
  });
  return lines.length === 0
    ? []
    : [...new Set(lines), 'a trace that shows a message at one instant cannot show that it is overtaken'];
}

function noteLine(contract: Contract, note: ContractNote): string {
  const { drawn } = contract;
  const arrow = drawn[note.drawn];
  const head = `${placeName(contract, arrow)}  ${note.kind}  ${clean(arrow?.text ?? '')}: ${clean(note.reason)}`;
  if (note.kind !== 'unordered') return head;
  return `${head} (before ${note.others.map((other) => placeName(contract, drawn[other])).join(', ')})`;
}

/** Loops that run concurrently, by the lines that their messages span. */
function concurrentLines(contract: Contract): string[] {
  return nodesOf(contract.term).flatMap((node) => {
    if (node.kind !== 'concurrent') return [];
    const spans = node.loops.map((loop) => {
      const lines = messagesIn(loop).map((message) => lineOf(contract, message));
      return `lines ${lines.at(0) ?? 0}-${lines.at(-1) ?? 0}`;
    });
    return [`the loops in ${spans.join(', ')} run for ever; between them only causality orders`];
  });
}
