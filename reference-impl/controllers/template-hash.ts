import { type Json, isJsonArray, isJsonObject, type PodTemplateSpec } from '../api/index.ts';

/** Letters that cannot form words: no vowels, nothing that looks like another. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name for a pod template: equal templates have equal hashes, whatever the order of their fields. */
export function templateHash(template: PodTemplateSpec, collisionCount = 0): string {
  const text = `${canonicalText(template)}${collisionCount === 0 ? '' : collisionCount}`;
  return String(fnv32a(text)).replace(/\d/g, (digit) => ALPHABET.charAt(digit.charCodeAt(0) % ALPHABET.length));
}

/** FNV-1a, 32 bits, over UTF-8. */
function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** JSON with sorted keys. The API server has refused what nests too deep. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: Json) => {
    if (!isJsonObject(inner) || isJsonArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)));
  });
}
