//! Why a Zstandard frame cannot be read, or is damaged.

use ruzstd::decoding::FrameDecoder;
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

/// The content of a frame, which the decoder does not compare with what the frame declares.
pub(super) struct Content {
    has_size: bool,
    count: u64,
}

impl Content {
    /// The content of a frame with this header. Flags say how many bytes its size has, and a single
    /// segment has one
    /// ([section 3.1.1.1.1](https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1.1)).
    pub(super) fn of(header: &[u8]) -> Self {
        let has_size = header.get(4).is_some_and(|descriptor| descriptor & 0b1110_0000 != 0);
        Self { has_size, count: 0 }
    }

    /// Counts bytes that were read.
    pub(super) fn add(&mut self, bytes: usize) {
        self.count += bytes as u64;
    }

    /// Whether the content has the size and the checksum that the frame declares, at its end.
    pub(super) fn is_as_declared(&self, frame: &FrameDecoder) -> bool {
        let checksum = frame.get_checksum_from_data();
        (checksum.is_none() || checksum == frame.get_calculated_checksum())
            && (!self.has_size || self.count == frame.content_size())
    }
}
