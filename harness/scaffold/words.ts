/**
 * Words of drawings and of traces, brought so far that they can be compared: `PersistPods` and `persist pod` are the same two words.
 */

/** Longer texts are compared by their beginning: likeness is a courtesy, not worth a second of work. */
const TEXT_MAX = 300;
const WORDS_MAX = 40;

/** Words that say nothing of what a message is. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  'a an the of to for from in on at by with and or is it its this that http https api apis v1 v2 v3 all'.split(' '),
);

/** Verbs that people draw for what systems call by another name; the first is the family's name. */
const FAMILIES: readonly (readonly string[])[] = [
  ['+create', 'create', 'post', 'insert', 'add', 'submit', 'new', 'register', 'added'],
  ['+write', 'write', 'put', 'persist', 'store', 'save', 'update', 'patch', 'set', 'upsert', 'modify'],
  ['+remove', 'delete', 'remove', 'drop', 'destroy', 'kill'],
  [
    '+read',
    'read',
    'get',
    'list',
    'fetch',
    'find',
    'select',
    'query',
    'lookup',
    'look',
    'search',
    'load',
    'range',
    'ask',
  ],
  ['+notify', 'notify', 'watch', 'watcher', 'event', 'publish', 'emit', 'notification', 'inform', 'change'],
  ['+run', 'run', 'start', 'launch', 'execute', 'exec'],
];
const FAMILY_OF = new Map(FAMILIES.flatMap(([name = '', ...members]) => members.map((word) => [stem(word), name])));

/** The words of a text, in order, each once: punctuation and camel case divide, a divided word counts as a whole as well, endings are cut off. */
export function wordsOf(text: string): readonly string[] {
  const words = text
    .slice(0, TEXT_MAX)
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((token) => {
      const parts = token
        .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
        .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
        .split(' ');
      return parts.length > 1 ? [token, ...parts] : parts;
    })
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '' && !EMPTY_WORDS.has(word) && !/^x+$/u.test(word))
    .map(stem);
  return [...new Set(words)].slice(0, WORDS_MAX);
}

/** `pods`, `binding`, `created` without their endings; short words stay. */
function stem(word: string): string {
  for (const ending of ['ing', 'ed', 'es', 's', 'e'])
    if (word.length >= ending.length + 3 && word.endsWith(ending) && !word.endsWith('ss'))
      return word.slice(0, -ending.length);
  return word;
}

/** What a match by family is worth, against one by word. */
const FAMILY_WORTH = 0.6;

/** How much of `wanted` is found in `given`, from 0 to 1; `weightOf` says how much a word tells. */
export function likenessOfWords(
  wanted: readonly string[],
  given: readonly string[],
  weightOf: (word: string) => number = () => 1,
): number {
  const words = new Set(given);
  const families = new Set(given.flatMap((word) => FAMILY_OF.get(word) ?? []));
  let [found, all] = [0, 0];
  for (const word of wanted) {
    const family = FAMILY_OF.get(word);
    const weight = weightOf(word);
    all += weight;
    if (words.has(word)) found += weight;
    else if (family !== undefined && families.has(family)) found += FAMILY_WORTH * weight;
  }
  return all === 0 ? 0 : found / all;
}

/** A word that stands in none of them is the drawing's own, and tells them apart as little as one that stands in all. */
const FOREIGN = 0.25;

/** A weight by rarity in these word lists. */
export function rarityIn(lists: readonly (readonly string[])[]): (word: string) => number {
  const counts = new Map<string, number>();
  for (const list of lists) for (const word of list) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => {
    const count = counts.get(word) ?? 0;
    return count === 0 && !FAMILY_OF.has(word) ? FOREIGN : Math.log(1 + (lists.length + 1) / (count + 1));
  };
}
