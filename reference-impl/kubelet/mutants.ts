/** Bugs of the kubelet that can be switched on, to show that a checker catches them. One row per mutant. */
export const KUBELET_MUTANTS = [
  { name: 'status-before-start', does: 'says that a pod is running before its containers are created and started' },
  { name: 'never-reports-running', does: 'starts the containers and does not tell' },
  { name: 'delete-before-stop', does: 'lets a pod be forgotten while its containers still run' },
  { name: 'acts-on-unbound-pods', does: 'runs pods that are bound to no node' },
] as const;
