import { runCharges } from '../src/credits/charge-run';

it('charges each posted call once and no other while account and gateways die and connections break', async () => {
  const seed = Number(process.env['CREDIT_SEED'] ?? 20_270_116);
  const said: string[] = [`CREDIT_SEED=${seed}`];
  const { failures } = await runCharges({ seed, calls: 1_500, kills: 3, untilReleased: false, say: (line) => said.push(line) });
  expect(failures.length === 0 ? [] : [...said, ...failures]).toEqual([]);
});
