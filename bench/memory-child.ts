import { machineOf } from '../harness/checker/check.ts';
import { StreamChecker } from '../harness/checker/stream/index.ts';
import { TERMS_MAX } from '../harness/checker/terms.ts';
import { compileContract, readBinding, readDocument, type TraceEvent } from '../harness/index.ts';
import type { Measured } from './memory.bench.ts';

const LIVE = 1_000_000;
const EVENTS = 4_000_000;

/** An order with two requests, each answered; its number is in every event. */
function orders(): StreamChecker {
  const drawing = 'Client->>Shop: POST /orders\nShop-->>Client: 201\nShop->>Bank: POST /charges\nBank-->>Shop: 201';
  const [diagram] = readDocument(`sequenceDiagram\n${drawing}\n`, 'drawing.mmd').value;
  if (diagram === undefined) throw new Error('the drawing of a bench is not read');
  const binding = readBinding('instance: [order]\nparameters:\n  order: shop.order\n', 'drawing.bindings.yaml').value;
  const options = { begun: true, hasParents: false, hasReplyTo: true, instancesMax: 2 * LIVE };
  const checker = StreamChecker.for(machineOf(compileContract(diagram, binding).value, TERMS_MAX), options);
  if (checker === null) throw new Error('this drawing is streamable');
  return checker;
}

function* eventsOf(order: number, seq: number): Generator<TraceEvent> {
  const attributes = { 'shop.order': `order-${order}` };
  const [asked, charged] = [`a${order}`, `c${order}`];
  yield { seq, from: 'Client', to: 'Shop', kind: 'call', label: 'POST /orders', id: asked, attributes };
  yield {
    seq: seq + 1,
    from: 'Shop',
    to: 'Client',
    kind: 'reply',
    label: '201',
    replyTo: asked,
    status: 201,
    attributes,
  };
  yield { seq: seq + 2, from: 'Shop', to: 'Bank', kind: 'call', label: 'POST /charges', id: charged, attributes };
  yield {
    seq: seq + 3,
    from: 'Bank',
    to: 'Shop',
    kind: 'reply',
    label: '201',
    replyTo: charged,
    status: 201,
    attributes,
  };
}

const used = (): number => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + Math.max(external, arrayBuffers);
};

/** Half of each order only: all are under way at the end. */
function live(): Measured {
  const checker = orders();
  const warm = 10_000;
  let before = 0;
  for (let order = 0; order < LIVE + warm; order++) {
    if (order === warm) before = used();
    let number = 0;
    for (const event of eventsOf(order, order * 4 + 1)) if (number++ < 2) checker.push(event);
  }
  const bytes = (used() - before) / LIVE;
  const { unable, failing } = checker.finish();
  if (unable !== null || failing.some(({ kind }) => kind !== 'open')) throw new Error(unable ?? 'an order broke');
  return { bytes };
}

function ending(): Measured {
  const checker = orders();
  const measured: Record<string, number> = {};
  const start = performance.now();
  let last = start;
  const quarters = ['quarter', 'half', 'three', 'whole'];
  for (let order = 0; order < EVENTS / 4; order++) {
    for (const event of eventsOf(order, order * 4 + 1)) checker.push(event);
    if ((order + 1) % (EVENTS / 16) !== 0) continue;
    const quarter = quarters.shift() ?? '';
    globalThis.gc?.();
    measured[quarter] = process.memoryUsage().rss / 1e6;
    if (quarter === 'quarter') measured['firstMs'] = performance.now() - start;
    measured['lastMs'] = performance.now() - last;
    last = performance.now();
  }
  const { unable, conforming } = checker.finish();
  if (unable !== null || conforming !== EVENTS / 4) throw new Error(unable ?? `${conforming} orders conform`);
  return measured;
}

console.log(JSON.stringify(process.argv[2] === 'live' ? live() : ending()));
