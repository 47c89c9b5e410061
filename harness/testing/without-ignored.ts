import type { SpecVerdict } from '../verdict/index.ts';

const IGNORED = /^(\d+) events? that shows? no .* taken by no instance: /u;

/** What a stream does not follow: events without the key that no instance took. It counts them as taken. */
export function withoutIgnored(whole: SpecVerdict): SpecVerdict {
  const ignored = whole.remarks.flatMap((remark) => IGNORED.exec(remark)?.[1] ?? []);
  const taken = ignored.reduce((sum, count) => sum + Number(count), whole.counts.taken);
  const remarks = whole.remarks.filter((remark) => !IGNORED.test(remark));
  return { ...whole, counts: { ...whole.counts, taken }, remarks };
}
