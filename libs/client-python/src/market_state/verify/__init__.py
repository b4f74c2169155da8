"""Offline verification of packets. Signatures need the extra `market-state[verify]`."""

from market_state.verify.canonical_json import canonical_json
from market_state.verify.check_chain import ChainBreak, ChainCheck, check_chain
from market_state.verify.check_packet import PacketCheck, check_packet

__all__ = ["ChainBreak", "ChainCheck", "PacketCheck", "canonical_json", "check_chain", "check_packet"]
