#!/usr/bin/env bash
# Rewrites the pages of this folder. Run it after a change of the policy or of packet content.
set -euo pipefail
cd "$(dirname "$0")/../.."
recordings=libs/domain/market-data/recordings/binance-coinm
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
rows=$folder/scenario-set-seed-1.ndjson

npx market-state report "$recordings"/btcusd_perp_2024080{8,9}.gz --title 'BTCUSD-PERP on Binance COIN-M, 8 to 9 August 2024' --out docs/reports/btcusd-perp.html
npx market-state report "$recordings"/ethusd_perp_2024080{8,9}.gz --title 'ETHUSD-PERP on Binance COIN-M, 8 to 9 August 2024' --out docs/reports/ethusd-perp.html
npx market-state scenario set --seed 1 --out "$rows"
npx market-state report "$rows" --title 'Synthetic market: every scenario in eight hours' --out docs/reports/scenario-set.html
