/** The architecture, as rules. Each comment is what the offender reads, so it says why and what to do. */
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const room = (r) => `^harness/${r}/`;
const TEST = '[.]test[.]ts$';
/** Mermaid itself, asked by tests and scripts; not a part of the dialect. */
const ORACLE = '^harness/dialects/mermaid/oracle/';
const mayOnlyUse = (r, ...allowed) =>
  rule(
    `${r}-imports`,
    `harness/${r} may use only: ${allowed.join(', ') || 'nothing'}. Move the code, or change this list and say why.`,
    { path: room(r), pathNot: TEST },
    { path: '^harness/', pathNot: [room(r), ...allowed.map(room)] },
  );

module.exports = {
  forbidden: [
    rule('no-cycles', 'Two rooms that need each other are one room, or hide a third.', {}, { circular: true }),
    rule(
      'judge-does-not-know-judged',
      'The harness judges any system; it may not import ours. Name it with --system instead.',
      { path: '^harness/' },
      { path: '^reference-impl/' },
    ),
    rule(
      'judged-does-not-know-judge',
      'The system under test may name the port and the event it emits (import type), nothing more.',
      { path: '^reference-impl/', pathNot: TEST },
      { path: '^harness/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'only-the-port',
      'Of the harness, the system under test may see only harness/system and harness/trace.',
      { path: '^reference-impl/', pathNot: TEST },
      { path: '^harness/', pathNot: '^harness/(system|trace)/' },
    ),
    rule(
      'use-the-front-door',
      'Another room is entered through its index.ts.',
      { path: '^harness/([^/]+)/' },
      { path: '^harness/[^/]+/', pathNot: ['^harness/$1/', '^harness/[^/]+/index[.]ts$'] },
    ),
    rule(
      'dialects-are-strangers',
      'Dialects share the diagram, not code.',
      { path: '^harness/dialects/(mermaid|ascii|steps)/' },
      { path: '^harness/dialects/[^/]+/', pathNot: '^harness/dialects/$1/' },
    ),
    mayOnlyUse('diagram'),
    mayOnlyUse('diagnostics'),
    mayOnlyUse('dialects', 'diagram', 'diagnostics'),
    mayOnlyUse('contract', 'diagram', 'diagnostics'),
    mayOnlyUse('trace', 'diagnostics'),
    mayOnlyUse('verdict', 'diagram', 'contract', 'trace'),
    mayOnlyUse('checker', 'contract', 'trace', 'verdict'),
    // Proposes bindings from traces: contract may not know traces, and the checker judges what is bound, it does not guess.
    mayOnlyUse('scaffold', 'contract', 'diagram', 'trace', 'checker', 'diagnostics'),
    mayOnlyUse('system', 'trace', 'diagnostics'),
    mayOnlyUse('fuzz', 'diagram', 'contract', 'trace', 'verdict', 'checker', 'system', 'diagnostics'),
    mayOnlyUse('report', 'verdict', 'diagram', 'contract', 'trace', 'diagnostics'),
    rule(
      'report-computes-nothing',
      "A report may name contracts and traces (import type); deciding is the checker's work.",
      { path: room('report'), pathNot: TEST },
      { path: '^harness/(contract|trace)/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'pure-rooms',
      'Only cli, testing and system may reach the outside world; and scripts that read an oracle from outside the repo.',
      { path: '^harness/', pathNot: ['^harness/(cli|testing|system)/', ORACLE, '/oracle-[a-z]+[.]ts$', TEST] },
      { dependencyTypes: ['core'] },
    ),
    rule(
      'fast-check-in-fuzz',
      'Property tooling belongs to fuzz and to tests.',
      { path: '^(harness|reference-impl)/', pathNot: ['^harness/(fuzz|testing)/', ORACLE, TEST] },
      { path: 'node_modules/fast-check/' },
    ),
    rule(
      'store-has-one-owner',
      'Everything goes through the API server, as in Kubernetes.',
      {
        path: '^reference-impl/',
        pathNot: ['^reference-impl/(store|apiserver)/', '^reference-impl/cluster[.]ts$', TEST],
      },
      { path: '^reference-impl/store/' },
    ),
    rule(
      'components-are-strangers',
      'Controllers, scheduler and kubelet talk only through the API server.',
      { path: '^reference-impl/(controllers|scheduler|kubelet)/' },
      { path: '^reference-impl/(controllers|scheduler|kubelet|apiserver)/', pathNot: '^reference-impl/$1/' },
    ),
    rule(
      'oracle-is-for-tests',
      'Mermaid itself is a development dependency: only tests and the scripts beside it may ask it.',
      { pathNot: [TEST, ORACLE, '^bench/'] },
      { path: [ORACLE, 'node_modules/mermaid/'] },
    ),
    rule(
      'tests-are-leaves',
      'Nothing imports a test, and only tests import harness/testing.',
      { pathNot: [TEST, '^harness/testing/'] },
      { path: [TEST, '^harness/testing/'] },
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
