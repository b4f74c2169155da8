import { marketData } from '@market-state/contracts';
import type { AnswerContext } from '../../serving/answers/data-answer';
import { contextAnswer } from './get-active-asset-context';

const AS_OF_MS = 1_700_000_000_000;
const call = { operation: { access: {} }, grant: null } as unknown as AnswerContext;

function hourlyOf(fundingRate: string, fundingIntervalHours: number) {
  const answer = contextAnswer(call, {
    ...marketData.GetActiveAssetResponse.decode(new Uint8Array()),
    reported: true,
    fundingRate: { value: fundingRate, asOfMs: fundingRate === '' ? 0 : AS_OF_MS },
    fundingIntervalHours,
  });
  const { funding_interval_hours: hours, hourly_funding_rate: rate, hourly_funding_rate_missing_reason: reason } = answer;
  return [hours, rate, reason];
}

test('the hourly rate is null with a reason while the hours between payments are unknown; none is assumed', () => {
  expect(hourlyOf('0.00080000', 8)).toEqual([8, '0.0001', null]);
  expect(hourlyOf('0.00080000', 1)).toEqual([1, '0.00080000', null]);
  expect(hourlyOf('0.00080000', 0)).toEqual([null, null, 'funding_interval_unknown']);
  expect(hourlyOf('', 0)).toEqual([null, null, 'funding_rate_not_sent']);
});
