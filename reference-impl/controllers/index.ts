export { ControllerManager } from './controller-manager.ts';
export { DeploymentController } from './deployment-controller.ts';
export { CONTROLLER_MUTANTS } from './mutants.ts';
