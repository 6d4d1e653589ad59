//! Why a Zstandard frame cannot be read.

use ruzstd::decoding::errors::FrameDecoderError;

/// The reason, without what the decoder says of its own state.
pub(super) fn reason(error: &FrameDecoderError) -> String {
    match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
            let (requested, max) = (mebibytes(*requested), mebibytes(*max));
            format!("the window of its Zstandard frame has {requested} MiB, more than {max} MiB")
        }
        FrameDecoderError::DictNotProvided { dict_id } => {
            format!("its Zstandard frame needs the dictionary {dict_id}, which is missing")
        }
        FrameDecoderError::ReadFrameHeaderError(_)
        | FrameDecoderError::FrameHeaderError(_)
        | FrameDecoderError::FailedToInitialize(_) => "invalid Zstandard header".to_owned(),
        _ => "corrupt Zstandard frame".to_owned(),
    }
}
