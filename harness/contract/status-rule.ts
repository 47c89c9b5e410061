import type { SingleStatusRule, StatusRule } from './types.ts';

/** Words that promise a status, whole and in any case. Others (`running`, `return pod object`) promise nothing. */
const SUCCESS =
  /(?<![\p{L}\p{N}_])(ok|okay|success|successful|succeeded|ack|acknowledge|acknowledged|acknowledgement)(?![\p{L}\p{N}_])/iu;
const ERROR = /(?<![\p{L}\p{N}_])(error|errors|failed|failure|fails)(?![\p{L}\p{N}_])/iu;
const NEGATION = /(?<![\p{L}\p{N}_])(no|not|non|without)(?![\p{L}\p{N}_])/iu;

/** Registered HTTP statuses; `user id 123` or `page 250` names none. */
const STATUS = String.raw`(10[0-3]|20[0-8]|226|30[0-8]|4[0-2]\d|431|451|499|50\d|51[01]|52\d)(?![\p{L}\p{N}_.%])`;
const BEFORE = String.raw`(?<![\p{L}\p{N}_./:#-])`;
const NAMED = String.raw`(?:[Hh][Tt][Tt][Pp](?:\/[\d.]+)?|[Ss]tatus(?:\s+[Cc]ode)?|[Cc]ode)\s*[:=]?\s*`;

/** A number counts as a status only where statuses stand: first, in parentheses, after "status", before a reason phrase, last. */
const STATUS_PLACES: readonly RegExp[] = [
  // `200 approved` and `404 no such user` name a status, `200 rows` counts things.
  new RegExp(String.raw`^\s*${STATUS}(?!\s+\p{Ll}*[^s\s]s(?![\p{L}\p{N}_]))`, 'u'),
  new RegExp(String.raw`[([]\s*(?:${NAMED})?${STATUS}[^)\]]*[)\]]`, 'u'),
  new RegExp(String.raw`${BEFORE}${NAMED}${STATUS}`, 'u'),
  new RegExp(String.raw`${BEFORE}${STATUS}(?:\s+\p{Lu}\p{L}*){1,4}\s*$`, 'u'),
  new RegExp(String.raw`${BEFORE}${STATUS}\s*$`, 'u'),
];

/** `4xx`, wherever it stands; not `non-2xx`, `no 5xx`. */
const CLASS = /(?<![\p{L}\p{N}_.:#-]|(?:no|not|without|except)\s+)([1-5])[xX]{2}(?![\p{L}\p{N}_.%])/gu;
/** The slash of `200/404` and of `401 Unauthorized/403 Forbidden`; that of `HTTP/1.1` and `/orders/404` parts nothing. */
const SLASH = String.raw`(?<=[1-5](?:\d\d|xx)(?:\s+\p{L}+){0,4})\s*\/\s*(?=[1-5](?:\d\d|xx)(?![\p{L}\p{N}_.%]))`;
const CHOICES = new RegExp(String.raw`\s+or\s+|\s+\/\s+|\s*\|\s*|${SLASH}`, 'iu');
const LISTED = /\s*[,;]\s*/u;
/** An alternative that is nothing but a word: `200 or error`. */
const WORD_ALONE = /^\s*(?:an?\s+|any\s+)?(ok|okay|success|error|failed|failure)\s*[.!]?\s*$/iu;
/** What stands further behind in a long text is prose. */
const CHOICES_WITHIN = 500;

/** What a reply's text says of its status, or undefined where it names none. Any of several that it names will do. */
export function readStatusRule(text: string): StatusRule | undefined {
  const rules = numbersIn(text);
  if (rules.length === 0) return ruleOfWords(text);
  const distinct = [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
  const [only] = distinct;
  return distinct.length === 1 ? only : { kind: 'anyOf', rules: distinct };
}

/** Numbers and classes; and words that stand beside them as alternatives of their own. None: the text has no number. */
function numbersIn(text: string): SingleStatusRule[] {
  const first = numberIn(text);
  const classes = [...text.matchAll(CLASS)].map(([, hundreds]): SingleStatusRule => ({
    kind: 'class',
    hundreds: Number(hundreds),
  }));
  if (first === null && classes.length === 0) return [];
  const choices = text.slice(0, CHOICES_WITHIN).split(CHOICES);
  const listed = choices.flatMap((choice) => choice.split(LISTED)).flatMap((one) => numberIn(one) ?? []);
  const words = choices.filter((choice) => WORD_ALONE.test(choice)).flatMap((choice) => ruleOfWords(choice) ?? []);
  return [...(first === null ? [] : [first]), ...classes, ...listed, ...(choices.length > 1 ? words : [])];
}

function numberIn(text: string): SingleStatusRule | null {
  for (const place of STATUS_PLACES) {
    const digits = place.exec(text)?.[1];
    if (digits !== undefined) return { kind: 'exact', status: Number(digits) };
  }
  return null;
}

function ruleOfWords(text: string): SingleStatusRule | undefined {
  const isError = ERROR.test(text);
  const isSuccess = SUCCESS.test(text);
  // "no error", "success or failed": whatever it means, it does not name one outcome.
  if (NEGATION.test(text) || isError === isSuccess) return undefined;
  return { kind: isError ? 'error' : 'success' };
}
