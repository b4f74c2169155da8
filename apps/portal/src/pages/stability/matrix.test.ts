import { matrixOf } from './matrix';

const followed = (to_state: string, total: number, share: number) => ({ to_state, total, share });

test('a cell counts how often its column followed its row; never is null, not zero', () => {
  const matrix = matrixOf([
    { state: 'depth_watch', transitions: [followed('depth_watch', 3, 0.75), followed('crowding_shift', 1, 0.25)] },
    { state: 'flow_shift_watch', transitions: [followed('depth_watch', 2, 1)] },
  ]);
  expect(matrix.columns).toEqual(['depth_watch', 'flow_shift_watch', 'crowding_shift']);
  expect(matrix.rows).toEqual([
    { from: 'depth_watch', total: 4, cells: [{ total: 3, share: 0.75 }, null, { total: 1, share: 0.25 }] },
    { from: 'flow_shift_watch', total: 2, cells: [{ total: 2, share: 1 }, null, null] },
  ]);
});

test('the last packet of a span has no successor', () => {
  expect(matrixOf([{ state: 'depth_watch', transitions: [] }])).toEqual({
    columns: ['depth_watch'],
    rows: [{ from: 'depth_watch', total: 0, cells: [null] }],
  });
});
