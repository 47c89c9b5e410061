/** Every kind a participant may have; `ParticipantKind` is one of these. */
export const PARTICIPANT_KINDS = [
  'participant',
  'actor',
  'boundary',
  'control',
  'entity',
  'database',
  'collections',
  'queue',
] as const;

const KINDS: ReadonlySet<string> = new Set(PARTICIPANT_KINDS);

/** Whether a word names a kind of participant. */
export const isParticipantKind = (word: string): word is (typeof PARTICIPANT_KINDS)[number] => KINDS.has(word);
