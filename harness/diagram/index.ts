export type * from './types.ts';
export { type TextSource, wholeFile } from './source.ts';
export { type DiagramEvent, type Enclosing, type PlacedMessage, pathOf, walkDiagram, walkMessages } from './walk.ts';
export { type DifferenceOptions, describeDifference } from './difference.ts';
export {
  type DrawnEnd,
  type Overtaking,
  type OvertakingFinding,
  arrivals,
  checkOvertaking,
  isLate,
  overtakings,
  receivedFrom,
} from './overtaking.ts';
export { isParticipantKind, PARTICIPANT_KINDS } from './participant-kinds.ts';
export { printAscii } from './print-ascii.ts';
export { type CellsOf } from './print-ascii-layout.ts';
export { marksMoved, printMermaid } from './print-mermaid.ts';
export { checkTopology, connectedParticipants, type TopologyFinding } from './topology.ts';
