import { calmerSettings } from './calmer';

const setting = (minConsecutive: number, triggered: number, flaps: number) => ({ minConsecutive, triggered, flaps });

test('what is calmer waits longer and flaps less than each setting before it, and still fires', () => {
  const settings = [setting(1, 35, 34), setting(2, 20, 19), setting(3, 6, 1), setting(6, 5, 1)];
  expect(calmerSettings({ settings, flaps: 34 }, 1)).toEqual([setting(2, 20, 19), setting(3, 6, 1)]);
  expect(calmerSettings({ settings, flaps: 1 }, 3)).toEqual([]);
  expect(calmerSettings({ settings: [setting(1, 4, 3), setting(2, 0, 0)], flaps: 3 }, 1)).toEqual([]);
  expect(calmerSettings({ settings: [setting(1, 1, 0), setting(2, 1, 0)], flaps: 0 }, 1)).toEqual([]);
});

test('a setting between those that are rehearsed is compared with longer ones alone', () => {
  const settings = [setting(6, 2, 0), setting(1, 9, 8), setting(4, 5, 3), setting(2, 7, 1), setting(3, 6, 4)];
  expect(calmerSettings({ settings, flaps: 3 }, 4)).toEqual([setting(6, 2, 0)]);
});
