// Asks Mermaid itself (a development dependency) what it makes of texts. A process of its own, since Mermaid wants a browser's
// globals: reads a JSON array of texts from standard input, writes one JSON answer a line, in their order.
import DOMPurify from 'dompurify';
import { text } from 'node:stream/consumers';

// Without a DOM, DOMPurify has none of the functions that titles and boxes call.
for (const name of ['addHook', 'removeHook', 'removeAllHooks']) DOMPurify[name] ??= () => undefined;
DOMPurify.sanitize ??= String;

const { default: mermaid } = await import('mermaid');
// A box asks the browser whether its first word is a colour; `details` looks for an element of the page. Only now, since Mermaid
// would take a window for a page to draw on.
const COLOURS =
  /^(?:transparent|aqua|purple|red|green|blue|gr[ae]y|yellow|orange|pink|black|white|(?:light|dark)\w+)$/i;
globalThis.window = {
  CSS: { supports: (_, value) => COLOURS.test(value) || /^(?:rgb|hsl)a?\s*\(.*\)$/i.test(value) },
};
globalThis.document = { getElementById: () => null };
mermaid.initialize({
  startOnLoad: false,
  suppressErrorRendering: true,
  maxTextSize: 1e7,
  securityLevel: 'loose',
  logLevel: 'fatal',
});

/** Mermaid's inner spelling of entity codes, as it was typed: its own decoding makes HTML of it. */
const typed = (value) =>
  typeof value === 'string' ? value.replaceAll('ﬂ°°', '#').replaceAll('ﬂ°', '#').replaceAll('¶ß', ';') : value;

async function ask(given) {
  let diagram;
  try {
    diagram = await mermaid.mermaidAPI.getDiagramFromText(given);
  } catch (error) {
    return { ok: false, error: String(error?.message ?? error).slice(0, 300) };
  }
  if (diagram.type !== 'sequence') return { ok: false, error: `a diagram of type ${diagram.type}` };
  const { db } = diagram;
  const names = new Map(Object.entries(db.LINETYPE).map(([name, type]) => [type, name]));
  return {
    ok: true,
    title: typed(db.getDiagramTitle()),
    actors: [...db.getActors()].map(([id, { description, type, box }]) => ({
      id: typed(id),
      description: typed(description),
      type,
      ...(box === undefined ? {} : { box: db.getBoxes().indexOf(box) }),
    })),
    created: [...db.getCreatedActors()].map(([id, index]) => [typed(id), index]),
    destroyed: [...db.getDestroyedActors()].map(([id, index]) => [typed(id), index]),
    messages: db.getMessages().map(({ type, from, to, message, placement }) => ({
      n: names.get(type),
      from: typed(from),
      to: typed(to),
      msg: typed(message),
      ...(placement === undefined ? {} : { placement }),
    })),
  };
}

for (const given of JSON.parse(await text(process.stdin))) {
  const start = performance.now();
  const answer = await ask(given);
  process.stdout.write(`${JSON.stringify({ ...answer, ms: performance.now() - start })}\n`);
}
