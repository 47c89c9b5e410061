import { existsSync } from 'node:fs';

/** What runs when a container of this image is started: a program and its arguments, never a shell line. */
export interface Image {
  readonly argv: readonly [string, ...string[]];
}

/** Finds an image by name; undefined if the registry has none of that name. */
export type ImageRegistry = (name: string) => Image | undefined;

/**
 * `cat` waits on its standard input, a pipe that the runtime holds: it costs almost nothing, obeys SIGTERM, and ends by
 * itself when the runtime dies in whatever way, which `sleep` would not.
 */
function waitingProgram(): Image {
  const cat = ['/bin/cat', '/usr/bin/cat'].find((path) => existsSync(path));
  return { argv: cat === undefined ? [process.execPath, '-e', 'process.stdin.resume()'] : [cat] };
}

const pause = waitingProgram();

function exitsWith(code: number): Image {
  return { argv: [process.execPath, '-e', `process.exit(${code})`] };
}

const builtIn: ReadonlyMap<string, Image | undefined> = new Map<string, Image | undefined>([
  ['asdrawn/pause', pause],
  // For trying out a job that succeeds, a container that crashes, one that ignores SIGTERM, an image that is not there.
  ['asdrawn/succeeds', exitsWith(0)],
  ['asdrawn/fails', exitsWith(1)],
  ['asdrawn/stubborn', { argv: [process.execPath, '-e', "process.on('SIGTERM', () => {}); process.stdin.resume()"] }],
  ['asdrawn/missing', undefined],
]);

/**
 * The images of this machine. No registry is asked and no file is unpacked: any name that is not built in stands for a
 * program that waits. A pod's `command` is not run either, because the API is open to whoever reaches the port.
 */
export const localImages: ImageRegistry = (name) => {
  const repository = withoutTag(name);
  return builtIn.has(repository) ? builtIn.get(repository) : pause;
};

/** A colon before the last slash belongs to the registry's port. */
function withoutTag(name: string): string {
  const bare = name.split('@', 1)[0] ?? name;
  const colon = bare.lastIndexOf(':');
  return colon > bare.lastIndexOf('/') ? bare.slice(0, colon) : bare;
}
