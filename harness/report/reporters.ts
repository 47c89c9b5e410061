import { renderHtml } from './html.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { maskSecrets } from './secrets.ts';
import { renderText } from './text.ts';
import type { Reporter, ReportInput } from './types.ts';

/** Masked here, once for all, so that no report can forget it. */
const masked =
  (render: Reporter['render']): Reporter['render'] =>
  (input: ReportInput) =>
    render(maskSecrets(input));

/** Every report there is. A new one is a file and a row. */
export const reporters: readonly Reporter[] = [
  { name: 'text', extension: 'txt', render: masked(renderText) },
  { name: 'html', extension: 'html', render: masked(renderHtml) },
  { name: 'junit', extension: 'xml', render: masked(renderJunit) },
  { name: 'json', extension: 'json', render: masked(renderJson) },
];
