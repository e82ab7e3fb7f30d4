// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A data request as the service shows it: hex texts as bytes, decimal texts as integers.
struct DataRequest {
    string version;
    bytes32 execProgramId;
    bytes execInputs;
    uint64 execGasLimit;
    bytes32 tallyProgramId;
    bytes tallyInputs;
    uint64 tallyGasLimit;
    uint16 replicationFactor;
    bytes consensusFilter;
    uint128 gasPrice;
    bytes memo;
}

/// A data result as the service shows it. The block timestamp is in milliseconds since the Unix epoch.
struct DataResult {
    string version;
    bytes32 drId;
    bool consensus;
    uint8 exitCode;
    bytes result;
    uint64 blockHeight;
    uint64 blockTimestamp;
    uint128 gasUsed;
    bytes paybackAddress;
    bytes servicePayload;
}

/// Why a response is refused; `None` when it holds.
enum Refusal {
    None,
    Version,
    DrId,
    SignatureLength,
    HighS,
    RecoveryId,
    Signer
}

/// Accepts what one Sibyl signed, and nothing else.
/// A response that holds may be of any request, of any age and of a failed run, and may be shown again: a contract that
/// uses one also compares `drId` with the request it expects, requires `consensus` and exit code 0, and takes a
/// `blockTimestamp` once, and only when it is newer than the last one.
contract SibylVerifier {
    /// The address of the service's public key.
    address public immutable signer;

    bytes32 private constant VERSION_HASH = keccak256("0.0.1");
    /// Half of the order of secp256k1, rounded down: of the two signatures with s and n - s the lower one is taken.
    uint256 private constant HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    error NoSigner();

    constructor(address signer_) {
        // `ecrecover` answers the zero address for no signature at all.
        if (signer_ == address(0)) revert NoSigner();
        signer = signer_;
    }

    /// Whether the result answers this very request and the service signed it.
    function verify(DataRequest calldata request, DataResult calldata result, bytes calldata signature)
        external
        view
        returns (bool)
    {
        return check(request, result, signature) == Refusal.None;
    }

    /// The same, with the reason.
    function check(DataRequest calldata request, DataResult calldata result, bytes calldata signature)
        public
        view
        returns (Refusal)
    {
        if (keccak256(bytes(request.version)) != VERSION_HASH) return Refusal.Version;
        if (keccak256(bytes(result.version)) != VERSION_HASH) return Refusal.Version;
        if (drIdOf(request) != result.drId) return Refusal.DrId;
        if (signature.length != 65) return Refusal.SignatureLength;
        if (uint256(bytes32(signature[32:64])) > HALF_ORDER) return Refusal.HighS;
        uint8 v = uint8(signature[64]);
        if (v < 2) v += 27;
        if (v != 27 && v != 28) return Refusal.RecoveryId;
        address recovered = ecrecover(resultIdOf(result), v, bytes32(signature[0:32]), bytes32(signature[32:64]));
        return recovered == signer ? Refusal.None : Refusal.Signer;
    }

    /// Which data request this is: 258 bytes hashed. Integers are big-endian, texts and bytes go in by their hashes.
    function drIdOf(DataRequest calldata request) public pure returns (bytes32) {
        bytes memory exec = abi.encodePacked(
            keccak256(bytes(request.version)),
            request.execProgramId,
            keccak256(request.execInputs),
            request.execGasLimit
        );
        bytes memory tally = abi.encodePacked(
            request.tallyProgramId,
            keccak256(request.tallyInputs),
            request.tallyGasLimit
        );
        return keccak256(
            abi.encodePacked(
                exec,
                tally,
                request.replicationFactor,
                keccak256(request.consensusFilter),
                request.gasPrice,
                keccak256(request.memo)
            )
        );
    }

    /// What is signed, without any prefix: 194 bytes hashed.
    function resultIdOf(DataResult calldata result) public pure returns (bytes32) {
        bytes memory outcome = abi.encodePacked(
            keccak256(bytes(result.version)),
            result.drId,
            result.consensus,
            result.exitCode,
            keccak256(result.result)
        );
        return keccak256(
            abi.encodePacked(
                outcome,
                result.blockHeight,
                result.blockTimestamp,
                result.gasUsed,
                keccak256(result.paybackAddress),
                keccak256(result.servicePayload)
            )
        );
    }
}
