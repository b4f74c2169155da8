import { builtinRules } from 'eslint/use-at-your-own-risk';

/** Rules of ESLint that oxlint has none of, or whose regular expressions look ahead, which its own cannot. */
const NAMES = ['max-len', 'no-restricted-imports', 'no-restricted-syntax'];

export default { meta: { name: 'core' }, rules: Object.fromEntries(NAMES.map((name) => [name, builtinRules.get(name)])) };
