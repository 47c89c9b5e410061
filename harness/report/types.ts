import type { Diagram } from '../diagram/index.ts';
import type { RunVerdict } from '../verdict/index.ts';

/** What every report is made from. */
export interface ReportInput {
  readonly run: RunVerdict;
  /** The diagram of each spec, in the order of `run.specs`; null where there is none to draw. */
  readonly diagrams: readonly (Diagram | null)[];
  /** The text of each file that a verdict names, by the file's path. */
  readonly sources: ReadonlyMap<string, string>;
  /** Terminal colours; never needed to understand a report. Default: none. */
  readonly colour?: boolean;
  /** Shows values that look like secrets instead of `•••`. */
  readonly showSecrets?: boolean;
}

/** One kind of report: a pure function of the verdict. `extension` is that of its file, without the dot. */
export interface Reporter {
  readonly name: string;
  readonly extension: string;
  readonly render: (input: ReportInput) => string;
}
