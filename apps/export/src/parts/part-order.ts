import type { Job } from '../jobs/job';
import type { PlannedPart } from '../jobs/part';

/** What making a part takes of it and of its job. */
export interface PartOrder extends Pick<PlannedPart, 'symbol' | 'plan' | 'name' | 'rowTotal'> {
  readonly job: Pick<Job, 'jobId' | 'spec'>;
  /** Number of this try. */
  readonly attempt: number;
}
