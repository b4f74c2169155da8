import type { Step } from '../step';
import { billingSteps, keySteps, lastAccountSteps, sessionSteps } from './account-steps';
import { automationSteps, deletionSteps, deliverySteps, watchingSteps } from './automation-steps';
import { dataSteps, gapSteps } from './data-steps';
import { demoSteps } from './demo-steps';
import { documentSteps } from './document-steps';
import { exportSteps } from './export-steps';
import { packetSteps, statusSteps, usageSteps } from './packet-steps';

/** All calls in the order in which they are made: the script of the simulated market decides when. */
export const steps: readonly Step[] = [
  ...documentSteps,
  ...sessionSteps,
  ...keySteps,
  ...billingSteps,
  ...watchingSteps,
  ...packetSteps,
  ...dataSteps,
  ...exportSteps,
  ...demoSteps,
  ...statusSteps,
  ...automationSteps,
  ...deliverySteps,
  ...deletionSteps,
  ...usageSteps,
  ...gapSteps,
  ...lastAccountSteps,
];
