import { machineOf } from '../harness/checker/check.ts';
import { AttributeUses, NumberedStream } from '../harness/checker/stream/index.ts';
import { TERMS_MAX } from '../harness/checker/terms.ts';
import { compileContract, readBinding, readDocument } from '../harness/index.ts';
import { NumberedReader } from '../harness/trace/index.ts';
import type { Measured } from './memory.bench.ts';

const LIVE = 1_000_000;
const EVENTS = 4_000_000;
const WARM = 10_000;
const CHUNK_BYTES = 1 << 16;

/** An order with two requests, each answered; its number is in every event. Judged as `asdrawn check` judges a large trace. */
class Orders {
  readonly #reader: NumberedReader;
  readonly stream: NumberedStream;
  #text = '{"kind":"begin"}\n';
  #seq = 0;

  constructor() {
    const drawing = 'Client->>Shop: POST /orders\nShop-->>Client: 201\nShop->>Bank: POST /charges\nBank-->>Shop: 201';
    const [diagram] = readDocument(`sequenceDiagram\n${drawing}\n`, 'drawing.mmd').value;
    if (diagram === undefined) throw new Error('the drawing of a bench is not read');
    const binding = readBinding('instance: [order]\nparameters:\n  order: shop.order\n', 'drawing.bindings.yaml').value;
    const contract = compileContract(diagram, binding).value;
    const uses = new AttributeUses([contract]);
    const { useOf, values, links, segments } = uses;
    this.#reader = new NumberedReader(
      { source: 'trace', useOf, values, links, segments, idsMax: 200_000 },
      { take: (event) => stream.take(event) },
    );
    const found = NumberedStream.for(machineOf(contract, TERMS_MAX), {
      numbering: this.#reader.numbering,
      places: uses.placesOf(contract),
      begun: () => true,
      hasParents: true,
      instancesMax: 2 * LIVE,
      finishedMax: 10_000,
      listedMax: 10_000,
    });
    if (found === null) throw new Error('this drawing is streamable');
    const stream = found;
    this.stream = stream;
  }

  /** The first events of an order. */
  take(order: number, events: number): void {
    const more = `"attributes":{"shop.order":"order-${order}"}}\n`;
    const call = (from: string, to: string, label: string, id: string): string =>
      `{"seq":${++this.#seq},"from":"${from}","to":"${to}","kind":"call","label":"${label}","id":"${id}${order}",${more}`;
    const reply = (from: string, to: string, id: string): string =>
      `{"seq":${++this.#seq},"from":"${from}","to":"${to}","kind":"reply","label":"201","replyTo":"${id}${order}","status":201,${more}`;
    this.#text += call('Client', 'Shop', 'POST /orders', 'a') + reply('Shop', 'Client', 'a');
    if (events > 2) this.#text += call('Shop', 'Bank', 'POST /charges', 'c') + reply('Bank', 'Shop', 'c');
    if (this.#text.length > CHUNK_BYTES) this.flush();
  }

  flush(): void {
    this.#reader.push(new TextEncoder().encode(this.#text));
    this.#text = '';
  }

  finish() {
    this.flush();
    const { unfit, diagnostics } = this.#reader.end();
    const findings = this.stream.finish();
    const wrong = unfit ?? findings.unable ?? diagnostics[0]?.message;
    if (wrong !== undefined) throw new Error(wrong);
    return findings;
  }
}

const used = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
};

/** Half of each order only: all are under way at the end. */
function live(): Measured {
  const orders = new Orders();
  let before = 0;
  for (let order = 0; order < LIVE + WARM; order++) {
    if (order === WARM) {
      orders.flush();
      before = used();
    }
    orders.take(order, 2);
  }
  orders.flush();
  const bytes = (used() - before) / LIVE;
  const { failing } = orders.finish();
  if (failing.length !== LIVE + WARM || failing.some(({ kind }) => kind !== 'open')) throw new Error('an order broke');
  return { bytes };
}

/** Orders that come to their end: nothing of them is needed any more. */
function ending(): Measured {
  const orders = new Orders();
  const measured: Record<string, number> = {};
  const start = performance.now();
  let last = start;
  const quarters = ['quarter', 'half', 'three', 'whole'];
  for (let order = 0; order < EVENTS / 4; order++) {
    orders.take(order, 4);
    if ((order + 1) % (EVENTS / 16) !== 0) continue;
    orders.flush();
    const quarter = quarters.shift() ?? '';
    if (quarter === 'quarter') measured['firstMs'] = performance.now() - start;
    measured['lastMs'] = performance.now() - last;
    measured[`${quarter}Used`] = used() / 1e6;
    measured[quarter] = process.memoryUsage().rss / 1e6;
    last = performance.now();
  }
  const { conforming } = orders.finish();
  if (conforming !== EVENTS / 4) throw new Error(`${conforming} orders conform`);
  return measured;
}

console.log(JSON.stringify(process.argv[2] === 'live' ? live() : ending()));
