import type { Label } from './labels.ts';

/** What an event can be taken for; a reply with a status that is not drawn is taken for the reply it would be. */
export const candidatesOfEvent = ({ messages, wrongStatus }: Label): readonly number[] =>
  messages.length > 0 ? messages : wrongStatus;

/** All that an event can be taken for, at the price of an edit too: whatever its status is, and against a guard. */
export const readingsOfEvent = ({ messages, wrongStatus, rules }: Label): readonly number[] => [
  ...messages,
  ...wrongStatus,
  ...(rules?.denied ?? []),
];
