import { ParentBasedSampler, type Sampler, SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import { isChosen, SAMPLED_SHARE } from '../head-decision';

const { RECORD, RECORD_AND_SAMPLED, NOT_RECORD } = SamplingDecision;

/**
 * The head decision: where a trace begins its id decides, elsewhere the caller has decided. Whatever it says, every span is recorded, since
 * only its end shows whether it failed.
 */
export function createSampler(): Sampler {
  const head = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(SAMPLED_SHARE) });
  return {
    shouldSample(active, ...rest) {
      if (isChosen(active)) return { decision: RECORD_AND_SAMPLED };
      const { decision } = head.shouldSample(active, ...rest);
      return { decision: decision === NOT_RECORD ? RECORD : decision };
    },
    toString: () => `${head.toString()}, all recorded`,
  };
}
