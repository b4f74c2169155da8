import { page, WRONG } from './pages';

/** Plan, credits and orders of who is logged in. Checkouts and the billing portal lead here. */
export const BILLING_PAGE = page(
  'billing',
  'Plan and orders',
  `<h1>Plan and orders</h1>
<div id="order-part" hidden>
<p id="order-word"></p>
<p class="hint">Order <strong id="order"></strong></p>
</div>
<p id="unreached" class="wrong" role="alert" hidden></p>
<div id="log-in-part" hidden>
<p>Log in to see the plan, the credits and the orders of your account.</p>
<form id="log-in" method="post">
<label for="email">Email</label>
<input id="email" type="email" autocomplete="username" maxlength="254" required>
<label for="password">Password</label>
<input id="password" type="password" autocomplete="current-password" maxlength="256" required>
<label class="check"><input type="checkbox"> Show the password</label>
<button>Log in</button>
${WRONG}
</form>
<p class="hint">No account yet? <a href="../account/claim">Open one</a>. Forgot the password? <a href="../account/reset-password">Choose a new one</a>.</p>
</div>
<div id="account-part" tabindex="-1" hidden>
<h2>Your plan</h2>
<dl id="plan"></dl>
<h2>Credits left</h2>
<dl id="credits"></dl>
<h2>Paid and approved orders</h2>
<p id="no-orders" hidden>None yet.</p>
<ul id="orders"></ul>
<form id="log-out" method="post">
<button>Log out</button>
${WRONG}
</form>
</div>`,
  '../account/assets/',
);
