import { startAccountUnderTest } from './account-under-test';
import { mailTo } from './mails';

test('of 200 concurrent uses of one token, one succeeds', async () => {
  const service = await startAccountUnderTest();
  try {
    const email = 'owner@example.org';
    const address = '203.0.113.1';
    await service.accounts.call.claim({ email, password: 'a quiet river 81', apiKey: '', claimToken: '', address });
    await service.accounts.call.requestPasswordReset({ email, address });
    const { text } = await mailTo(service.outbox, email, 'Reset your Market-State password');
    const resetToken = /reset_token=([\w-]{43})/.exec(text)?.[1] ?? '';
    const uses = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) =>
        service.accounts.call.confirmPasswordReset(
          { resetToken, newPassword: 'another river 82', address: `198.51.100.${index}` },
          { deadlineMs: 30_000 },
        ),
      ),
    );
    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  } finally {
    await service.stop();
  }
});
