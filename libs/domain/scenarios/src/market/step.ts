/** The market moves in steps of this length. */
export const STEP_MS = 250;
export const STEPS_PER_SECOND = 1_000 / STEP_MS;
