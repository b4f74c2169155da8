import { RECORDED_SYMBOLS, recordingPackets } from './recording-packets';
import { stabilityOf } from './stability';

test.each(RECORDED_SYMBOLS)('the labels of %s keep still', (symbol) => {
  const { stateChangesPerHour, classChangesPerHour, medianDwellSeconds, heldShare } = stabilityOf(
    recordingPackets(symbol).map(({ packet }) => packet),
  );
  expect(stateChangesPerHour).toBeLessThanOrEqual(30);
  expect(classChangesPerHour).toBeLessThanOrEqual(60);
  expect(medianDwellSeconds).toBeGreaterThanOrEqual(60);
  expect(heldShare).toBeLessThanOrEqual(0.25);
});

test('the median dwell is the middle of the lengths in order, or the mean of the two', () => {
  const of = (states: string) =>
    stabilityOf(
      [...states].map((state) => ({ state, event_class: state, state_decision_trace: { winner_state: 'a' } })) as unknown as Parameters<
        typeof stabilityOf
      >[0],
    );
  expect(of('aabcccc')).toMatchObject({ medianDwellSeconds: 20, heldShare: 5 / 7 });
  expect(of('aaaabb')).toMatchObject({ medianDwellSeconds: 30 });
});
