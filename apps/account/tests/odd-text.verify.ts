import { testOddTexts } from './odd-texts';

testOddTexts([['a mebibyte', 'x'.repeat(1_048_576)]]);
