import { Ring } from './ring';

describe('ring', () => {
  test('keeps the newest up to its limit, oldest first', () => {
    const ring = new Ring([1], 3);
    for (const value of [2, 3, 4]) ring.push(value);
    expect([...ring]).toEqual([2, 3, 4]);
    expect(ring.last(2)).toEqual([3, 4]);
    expect(ring.last(0)).toEqual([]);
    expect([ring.at(0), ring.at(3), ring.at(-1), ring.newest(), ring.newest(1)]).toEqual([2, undefined, undefined, 4, 3]);
  });

  test('stays itself over many shifts', () => {
    const ring = new Ring<number>([], 10);
    for (let value = 0; value < 10_000; value++) ring.push(value);
    expect([...ring]).toEqual([9990, 9991, 9992, 9993, 9994, 9995, 9996, 9997, 9998, 9999]);
    expect(ring.shift()).toBe(9990);
    expect(new Ring().shift()).toBeUndefined();
  });
});
