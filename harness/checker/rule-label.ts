/** What a binding says of an event, apart from the drawn message that it is. */
export interface RuleLabel {
  /** Copies of its messages that would enter an operand whose guard is not true of it. */
  readonly denied: readonly number[];
  /** Entries of `Contract.forbidden`. */
  readonly forbidden: readonly number[];
  /** It ends its instance. */
  readonly ends: boolean;
  /** It is an error, and answers one of these messages, whose reply is not drawn. */
  readonly failed: readonly number[];
  /** One try too many of this message: more than the binding allows. */
  readonly excess: number | null;
  /** It names a call that has this answer already. */
  readonly second: number | null;
}

export const NO_RULES: RuleLabel = { denied: [], forbidden: [], ends: false, failed: [], excess: null, second: null };
