import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readTraceText, toNdjson, type Trace } from '../../harness/index.ts';
import { readTap } from './kubernetes-tap.ts';

const FOLDER = join(import.meta.dirname, '../kubernetes-recordings');
/** What the taps wrote, as it was recorded; not part of this repository. */
const TAPS = join(import.meta.dirname, '../../../shared/recordings/kubernetes');

/** Recordings in which pods come into being: 21 pods, 12 of them of a replica set, 9 of these of a deployment. */
export const CREATIONS = [
  'a-deployment-create-3',
  'd-pod-create',
  'f-replicaset-create-3',
  'h-pod-create-pull',
  'i-pod-crash',
  'l-pod-unschedulable',
  'repeat-a1-a-deployment-create-3',
  'repeat-a2-a-deployment-create-3',
  'repeat-d1-d-pod-create',
  'repeat-d2-d-pod-create',
  'repeat-d3-d-pod-create',
  'repeat-d4-d-pod-create',
  'repeat-d5-d-pod-create',
] as const;

/** Recordings in which pods that were there before are deleted. */
export const DELETIONS = [
  'repeat-a1-c-deployment-delete',
  'repeat-a2-c-deployment-delete',
  'repeat-d1-e-pod-delete',
  'repeat-d2-e-pod-delete',
  'repeat-d3-e-pod-delete',
  'repeat-d4-e-pod-delete',
  'repeat-d5-e-pod-delete',
] as const;

export const hasTaps = existsSync(TAPS);

/** A recording as a trace, from this repository. */
export function loadRecording(name: string): Trace {
  const { value, diagnostics } = readTraceText(recordingText(name), `${name}.ndjson`);
  if (diagnostics.length > 0) throw new Error(diagnostics.map(({ code, message }) => `${code} ${message}`).join('\n'));
  return value;
}

export function recordingText(name: string): string {
  return gunzipSync(readFileSync(fileOf(name))).toString();
}

/** The same trace, made anew from what the taps wrote. */
export function convertRecording(name: string): string {
  return toNdjson(readTap(gunzipSync(readFileSync(join(TAPS, name, 'tap.jsonl.gz'))).toString(), name));
}

export function rewriteRecording(name: string): void {
  writeFileSync(fileOf(name), gzipSync(convertRecording(name), { level: 9 }));
}

/** How often each order held in the recordings, as counted by the script that recorded them; null: not here. */
export function countedOrderings(): string | null {
  const file = join(TAPS, 'orderings.txt');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

const fileOf = (name: string): string => join(FOLDER, `${name}.ndjson.gz`);
