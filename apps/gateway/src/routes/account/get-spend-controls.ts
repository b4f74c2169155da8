import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { SPEND_CONTROLS_SENTENCE, showSpendControls } from './show-spend-controls';

export function getSpendControls({ credits }: AccountDeps): Handler<'getSpendControls'> {
  return async (call) => {
    const { controls } = await credits.call.getSpendControls({ tenantId: grantOf(call).tenantId });
    return accountAnswer(call, showSpendControls(controls), SPEND_CONTROLS_SENTENCE);
  };
}
