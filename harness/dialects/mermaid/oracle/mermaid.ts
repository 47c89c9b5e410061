import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What Mermaid records: one record is a message, a note, an activation, or the beginning, divider or end of a block. */
export interface MermaidRecord {
  readonly n: string;
  readonly from?: string;
  readonly to?: string;
  readonly msg?: unknown;
  readonly placement?: number;
}

/** What Mermaid makes of a text. `created` and `destroyed` index `messages`. */
export interface MermaidAnswer {
  readonly ok: boolean;
  readonly error?: string;
  /** How long Mermaid took. */
  readonly ms?: number;
  readonly title?: string;
  readonly actors?: readonly { readonly id: string; readonly description: string; readonly type: string }[];
  readonly created?: readonly (readonly [id: string, index: number])[];
  readonly destroyed?: readonly (readonly [id: string, index: number])[];
  readonly messages?: readonly MermaidRecord[];
}

const SCRIPT = fileURLToPath(new URL('ask-mermaid.mjs', import.meta.url));

/** Asks Mermaid itself, in one process for all texts: loading it costs a second, a text some milliseconds. */
export function askMermaid(texts: readonly string[]): readonly MermaidAnswer[] {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [SCRIPT], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 1024 * 1024 * 1024,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  if (error !== undefined || status !== 0 || lines.length !== texts.length) {
    throw new Error(`Mermaid could not be asked (exit code ${status ?? 'none'}): ${error?.message ?? stderr}`);
  }
  return lines.map((line) => JSON.parse(line) as MermaidAnswer);
}
