import type { CallPrice } from '@market-state/pricing';
import type { Described } from '../../../serving/openapi/described';
import type { Input } from '../../../serving/validation/request-validator';
import type { AnswerSize } from './answer-size';

/** A call that somebody asks the price of. */
export interface PricedCall extends Omit<CallPrice, 'observed' | 'units'> {
  readonly size: AnswerSize;
  /** What a quote binds. */
  readonly quoted: Pick<Input, 'query' | 'path' | 'body'>;
  /** The same as the answer shows it. */
  readonly parameters: object;
  /** Of an export. */
  readonly exportPlan?: Described<'ExportPlan'>;
}
