import { prepare } from './prepare.ts';

/** The first words of Mermaid's other diagrams, in lower case. */
const OTHER_KINDS: ReadonlySet<string> = new Set([
  ...[
    'architecture',
    'architecture-beta',
    'block',
    'block-beta',
    'c4component',
    'c4container',
    'c4context',
    'c4deployment',
  ],
  ...[
    'c4dynamic',
    'classdiagram',
    'classdiagram-v2',
    'cynefin',
    'cynefin-beta',
    'erdiagram',
    'eventmodeling',
    'flowchart',
  ],
  ...[
    'flowchart-elk',
    'gantt',
    'gitgraph',
    'graph',
    'info',
    'ishikawa',
    'ishikawa-beta',
    'journey',
    'kanban',
    'mindmap',
  ],
  ...[
    'packet',
    'packet-beta',
    'pie',
    'quadrantchart',
    'radar',
    'radar-beta',
    'requirement',
    'requirementdiagram',
    'sankey',
  ],
  ...[
    'sankey-beta',
    'statediagram',
    'statediagram-v2',
    'timeline',
    'treemap',
    'treemap-beta',
    'treeview',
    'treeview-beta',
  ],
  ...['venn', 'venn-beta', 'wardley', 'wardley-beta', 'xychart', 'xychart-beta', 'zenuml'],
]);

/** The word that makes a text a Mermaid diagram of another kind, which orders no messages; null if none does. */
export function otherKindOf(text: string): string | null {
  const word = /^[a-z][\w-]*/i.exec(prepare(text).text)?.[0] ?? '';
  return OTHER_KINDS.has(word.toLowerCase()) ? word : null;
}
