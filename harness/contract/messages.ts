import type { Addresses } from './addresses.ts';
import { lifelineNamed } from './addresses.ts';
import type { ArrowPlan } from './arrow-plans.ts';
import type { MessageDetails, PartBinding, Path } from './binding.ts';
import { namesDemanded, namesRead } from './expression-names.ts';
import type { Findings } from './findings.ts';
import { quoted, suggest } from './names.ts';
import type { Pairing } from './pairing.ts';
import { readPattern } from './pattern.ts';
import { capturesOf, matchDrawnText, Parameters, showsExample } from './placeholders.ts';
import { readStatusRule } from './status-rule.ts';
import type { ContractMessage, DrawnArrow, Lifeline, Matcher, Replaced } from './types.ts';

/** Where the messages of a contract are made from. */
export interface MessageSources {
  readonly plans: readonly ArrowPlan[];
  readonly lifelines: readonly Lifeline[];
  readonly drawn: readonly DrawnArrow[];
  readonly pairing: Pairing;
  /** See `answerableCalls`. */
  readonly answerable: ReadonlyMap<number, readonly number[]>;
  readonly parameters: Parameters;
  readonly addresses: Addresses;
  readonly findings: Findings;
}

type Draft = Omit<ContractMessage, 'keyed'>;
type Match = Omit<Matcher, 'inside'>;

/** The attribute that is equal on every hop of a relayed message, where the binding names none. */
const LINK = 'etcd.revision';

/** The alphabet, without knowing yet which parameter is the key: the drawing's own placeholders are found on the way. */
export function draftMessages(sources: MessageSources): readonly Draft[] {
  return sources.plans.flatMap((plan) => (plan.omitted === null ? draftsOf(plan, sources) : []));
}

function draftsOf(plan: ArrowPlan, sources: MessageSources): Draft[] {
  const { arrow, bound, kind, replyOf, first } = plan;
  const call = replyOf === null ? undefined : lastMessage(sources.plans[replyOf]);
  const inside = insideOf(plan, sources);
  const parts = bound?.details.fold ?? [null];
  return parts.map((part, position) => ({
    index: first + position,
    drawn: arrow.drawn,
    from: arrow.from,
    to: arrow.to,
    kind,
    ...(call === undefined ? {} : { replyOf: call }),
    ...receiptOf(plan),
    ...(plan.retry === null ? {} : { retry: plan.retry }),
    match: { ...withReply(matchOf(plan, part, position, sources), plan, sources), inside },
  }));
}

/**
 * A solid arrow back may be drawn for a reply. Where the binding says by what to know the message, it must speak of labels, of
 * `kind` or of `status`: other conditions were written for messages, and replies often show the same attributes.
 */
function withReply(match: Match, { kind, arrow, bound }: ArrowPlan, sources: MessageSources): Match {
  const { match: pattern, when, fold, via, lost, erratum } = bound?.details ?? {};
  if (kind !== 'send' || sources.drawn[arrow.drawn]?.style !== 'solid') return match;
  if (fold !== undefined || via !== undefined || lost === true) return match;
  const read = new Set(match.when === undefined ? [] : namesRead(match.when).map(({ name }) => name));
  if (read.has('kind')) return { ...match, orReply: { calls: null } };
  if (match.label === undefined && match.words === undefined && !read.has('status')) return match;
  const calls = (sources.answerable.get(arrow.index) ?? []).flatMap((call) => lastMessage(sources.plans[call]) ?? []);
  if (calls.length === 0) return match;
  const isAsDrawn = pattern === undefined && when === undefined && erratum === undefined;
  const status = isAsDrawn ? readStatusRule(arrow.text) : undefined;
  return { ...match, orReply: { calls, ...(status === undefined ? {} : { status }) } };
}

const receiptOf = ({ arrow, bound }: ArrowPlan): Pick<ContractMessage, 'receipt'> => {
  if (bound?.details.lost === true) return { receipt: 'never' };
  return arrow.mayBeLost ? { receipt: 'free' } : {};
};

/** The message that stands for the arrow as a whole: of a fold the last, whose reply is the drawn one. */
const lastMessage = (plan: ArrowPlan | undefined): number | undefined =>
  plan === undefined || plan.count === 0 ? undefined : plan.first + plan.count - 1;

function matchOf(plan: ArrowPlan, part: PartBinding | null, position: number, sources: MessageSources): Match {
  const { bound } = plan;
  if (bound === null) return drawnMatch(plan, sources);
  if (part === null) return boundMatch(plan, bound.details, bound.path, sources);
  const details = typeof part === 'string' ? { match: part } : part;
  const path = [...bound.path, 'fold', position, ...(typeof part === 'string' ? [] : ['match'])];
  return { ...patternMatch(details.match, [details.when, bound.details.when], path, sources) };
}

function drawnMatch({ kind, arrow }: ArrowPlan, { parameters }: Pick<MessageSources, 'parameters'>): Match {
  if (kind !== 'reply') return matchDrawnText(arrow.text, parameters);
  const status = readStatusRule(arrow.text);
  return status === undefined ? {} : { status };
}

/**
 * A pattern replaces what is drawn, an erratum all of it. `when` alone is asked as well: of a request that is drawn, of the
 * status that a reply promises; prose is then only prose.
 */
function boundMatch(plan: ArrowPlan, details: MessageDetails, path: Path, sources: MessageSources): Match {
  const { match, when, via, erratum } = details;
  const relayed = viaOf(details, sources);
  if (match !== undefined || erratum !== undefined) {
    const patternPath = sources.findings.isText(path) ? path : [...path, 'match'];
    return { ...patternMatch(match, [when], patternPath, sources), ...relayed };
  }
  const { label, words, ...asked } = drawnMatch(plan, sources);
  const isProse = when !== undefined || via !== undefined;
  return {
    ...asked,
    ...(isProse || label === undefined ? {} : { label }),
    ...(isProse || words === undefined ? {} : { words }),
    ...conjunction([when]),
    ...relayed,
  };
}

/** What reading a pattern needs. */
export type PatternSources = Pick<MessageSources, 'parameters' | 'findings'>;

/** A pattern, and conditions that must hold as well. */
export function patternMatch(
  match: string | undefined,
  conditions: readonly (string | undefined)[],
  path: Path,
  { parameters, findings }: PatternSources,
): Match {
  const pattern = match === undefined ? null : readPattern(match);
  if (pattern?.kind === 'template' || pattern?.kind === 'words')
    for (const name of capturesOf(pattern)) {
      if (parameters.get(name) !== undefined) continue;
      const hint = `${suggest(
        name,
        parameters.list.map((parameter) => parameter.name),
        'parameters',
      )}${pattern.kind === 'template' ? '; * is any one segment' : ''}`;
      findings.atValue(path, { code: 'BND123', message: `${quoted(name)} is no declared parameter`, hint });
    }
  return {
    ...(pattern?.kind === 'template' ? { template: pattern.template } : {}),
    ...(pattern?.kind === 'words' ? { words: pattern.words } : {}),
    ...(pattern?.kind === 'label' ? { label: pattern.label } : {}),
    ...conjunction([...(pattern?.kind === 'when' ? [pattern.when] : []), ...conditions]),
  };
}

function conjunction(conditions: readonly (string | undefined)[]): { readonly when?: string } {
  const given = conditions.filter((condition) => condition !== undefined);
  const [only] = given;
  if (only === undefined) return {};
  return { when: given.length === 1 ? only : given.map((condition) => `(${condition})`).join(' && ') };
}

function viaOf({ via, link }: MessageDetails, { lifelines }: MessageSources): Pick<Matcher, 'via'> {
  if (via === undefined) return {};
  const relays = [via].flat().map((name) => lifelines[lifelineNamed(lifelines, name)]?.traced ?? [{ name }]);
  return { via: { relays, link: link ?? LINK } };
}

function insideOf(plan: ArrowPlan, sources: MessageSources): Matcher['inside'] {
  const { inside, via } = plan.bound?.details ?? {};
  if (typeof inside === 'string') return insideMessage(plan, inside, sources);
  // A reply is tied by its call, a relayed message by its hops.
  if (inside === false || plan.kind === 'reply' || via !== undefined) return { kind: 'free' };
  const served = sources.pairing.servedCallOf.get(plan.arrow.index);
  return { kind: 'caller', call: served === undefined ? null : (lastMessage(sources.plans[served]) ?? null) };
}

function insideMessage(plan: ArrowPlan, address: string, sources: MessageSources): Matcher['inside'] {
  const { addresses, plans, findings } = sources;
  const path = [...(plan.bound?.path ?? []), 'inside'];
  const arrows = addresses.find(address)?.arrows ?? [];
  const [arrow] = arrows;
  const message = arrow === undefined ? undefined : lastMessage(plans[arrow]);
  if (arrow === undefined) {
    const hint = suggest(address, addresses.all, 'drawn');
    findings.atValue(path, { code: 'BND121', message: `no arrow ${quoted(address)} is drawn`, hint });
  } else if (arrows.length > 1) {
    const hint = 'write From -> To: text, so that one arrow is left';
    findings.atValue(path, { code: 'BND125', message: `${quoted(address)} is drawn ${arrows.length} times`, hint });
  } else if (message === undefined || arrow === plan.arrow.index) {
    const why = message === undefined ? `is ${plans[arrow]?.omitted?.kind ?? 'absent'}` : 'is this arrow itself';
    const hint = 'name the message that really causes it, or write inside: false';
    findings.atValue(path, { code: 'BND125', message: `${quoted(address)} ${why}`, hint });
  }
  if (message === undefined || arrow === undefined) return { kind: 'free' };
  return isServedBy(plan, plans[arrow], sources) ? { kind: 'caller', call: message } : { kind: 'message', message };
}

/**
 * Whether the sender does it while serving that call: then the nearest call counts, not every earlier cause. Steps draw no
 * replies, so there any two-way arrow is a call.
 */
const isServedBy = (plan: ArrowPlan, cause: ArrowPlan | undefined, { drawn }: MessageSources): boolean =>
  cause !== undefined &&
  cause.arrow.to !== null &&
  cause.arrow.to === plan.arrow.from &&
  (cause.kind === 'call' ||
    (drawn[cause.arrow.drawn]?.style === 'step' && cause.arrow.line === 'solid' && !cause.arrow.isOneWay));

/** How the arrows are drawn that the binding takes out or replaces; one that says nothing of its own would match too much. */
export function replacedArrows({ plans, parameters }: MessageSources): readonly Replaced[] {
  // Placeholders that only these texts suggest are no parameters of the contract.
  const own = { parameters: new Parameters(parameters.list) };
  return plans.flatMap((plan): Replaced[] => {
    const { absent, erratum } = plan.bound?.details ?? {};
    if ((absent === undefined && erratum === undefined) || plan.kind === 'reply') return [];
    const match = drawnMatch(plan, own);
    if (Object.keys(match).length === 0) return [];
    const { drawn, from, to } = plan.arrow;
    const kind = absent === undefined ? 'erratum' : 'absent';
    return [{ drawn, kind, from, to, match: { ...match, inside: { kind: 'free' } } }];
  });
}

/** Is it true only of events that have the value: does one of its parts ask for that, or compare it? */
function asksFor(when: string | undefined, from: string | undefined): boolean {
  return when !== undefined && from !== undefined && namesDemanded(when).includes(from);
}

/** Which messages carry the last key parameter: by pattern, by `when`, by drawn text, or as the reply of one that does. */
export function withKeys(
  drafts: readonly Draft[],
  key: string | undefined,
  sources: MessageSources,
): ContractMessage[] {
  const parameter = key === undefined ? undefined : sources.parameters.get(key);
  const carries = ({ match, drawn }: Draft): boolean =>
    parameter !== undefined &&
    (capturesOf(match).includes(parameter.name) ||
      asksFor(match.when, parameter.from) ||
      showsExample(sources.drawn[drawn]?.text ?? '', parameter));
  const keyed: boolean[] = [];
  for (const draft of drafts)
    keyed.push(carries(draft) || (draft.replyOf !== undefined && keyed[draft.replyOf] === true));
  return drafts.map((draft, index) => ({ ...draft, keyed: keyed[index] === true }));
}
