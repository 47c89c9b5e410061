import type { StatusRule } from './types.ts';

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

/** What a reply's text says of its status, or undefined where it names none. */
export function readStatusRule(text: string): StatusRule | undefined {
  for (const place of STATUS_PLACES) {
    const digits = place.exec(text)?.[1];
    if (digits !== undefined) return { kind: 'exact', status: Number(digits) };
  }
  const isError = ERROR.test(text);
  const isSuccess = SUCCESS.test(text);
  // "no error", "success or failed": whatever it means, it does not name one outcome.
  if (NEGATION.test(text) || isError === isSuccess) return undefined;
  return { kind: isError ? 'error' : 'success' };
}
