import { type BatchFacts, createSaveSchedule } from './label-symbol';

const live: BatchFacts = { entryTotal: 4, packetTotal: 0, entriesAfterPacket: 4, catchingUp: false };
const closing: BatchFacts = { entryTotal: 1, packetTotal: 1, entriesAfterPacket: 0, catchingUp: false };

describe('the state is saved', () => {
  test('after six packets, and then not in the batch that closes a window but a second later', () => {
    const schedule = createSaveSchedule();
    for (let packet = 0; packet < 6; packet += 1) {
      for (let batch = 0; batch < 10; batch += 1) expect(schedule.isDue(live)).toBe(false);
      expect(schedule.isDue(closing)).toBe(false);
    }
    expect([live, live, live, live].map(schedule.isDue)).toEqual([false, false, false, true]);
    expect(schedule.unsavedTotal()).toBe(0);
    expect(schedule.isDue(live)).toBe(false);
    expect(schedule.unsavedTotal()).toBe(4);
  });

  test('every five thousand entries while catching up, however many windows they close', () => {
    const schedule = createSaveSchedule();
    const full: BatchFacts = { entryTotal: 1_000, packetTotal: 8, entriesAfterPacket: 50, catchingUp: true };
    expect([full, full, full, full, full, full].map(schedule.isDue)).toEqual([false, false, false, false, true, false]);
  });

  test('every five thousand entries when no window closes at all', () => {
    const schedule = createSaveSchedule();
    const due = Array.from({ length: 1_250 }, () => schedule.isDue(live));
    expect(due.indexOf(true)).toBe(1_249);
  });
});
