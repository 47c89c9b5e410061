export { Kubelet } from './kubelet.ts';
export type { KubeletOptions } from './kubelet.ts';
export { KUBELET_MUTANTS } from './mutants.ts';
