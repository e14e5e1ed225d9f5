use super::*;
use proptest::prelude::*;

#[test]
fn the_default_struct_and_the_table_agree() {
    let defaults = Options::default();
    for spec in &OPTIONS {
        assert_eq!(defaults.get(spec.name), spec.default, "{}", spec.name);
    }
    assert!(defaults.validate().is_ok());
}

#[test]
fn the_readme_lists_exactly_the_options_of_the_table_with_their_defaults() {
    let readme = include_str!("../../../../../README.md");
    let listed: Vec<(&str, &str)> = readme
        .lines()
        .skip_while(|line| !line.starts_with("| option |"))
        .skip(2)
        .map_while(|line| line.strip_prefix("| `"))
        .filter_map(|line| {
            let (name, rest) = line.split_once("` | ")?;
            let (default, _) = rest.split_once(" |")?;
            Some((name, default.trim_matches('`')))
        })
        .collect();
    let table: Vec<(&str, &str)> = OPTIONS
        .iter()
        .map(|spec| (spec.name, if spec.default.is_empty() { "(empty)" } else { spec.default }))
        .collect();
    assert_eq!(listed, table);
}

#[test]
fn pairs_are_read_over_the_defaults() {
    let options: Options =
        "min_chunk_size=64KiB, read_ahead = off;max_retries=0\nproxy=http://p:1".parse().unwrap();
    assert_eq!(options.min_chunk_size, 64 * 1024);
    assert!(!options.read_ahead);
    assert_eq!(options.max_retries, 0);
    assert_eq!(options.proxy, "http://p:1");
    assert_eq!(options.max_cache_size, 1_000_000_000);
}

#[test]
fn an_empty_string_means_the_defaults() {
    for text in ["", "  ", ",;\n"] {
        assert_eq!(text.parse::<Options>().unwrap(), Options::default());
    }
}

#[test]
fn quotes_keep_separators_in_a_value() {
    let options: Options = r#"user_agent="a, \"b\"; c=d", verbose=1"#.parse().unwrap();
    assert_eq!(options.user_agent, r#"a, "b"; c=d"#);
    assert!(options.verbose);
}

#[test]
fn an_unknown_key_is_refused_with_the_list_of_known_ones() {
    let error = "min_chunk=1".parse::<Options>().unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidOption);
    let message = error.to_string();
    assert!(message.contains("'min_chunk'"), "{message}");
    for spec in &OPTIONS {
        assert!(message.contains(spec.name), "{message}");
    }
}

#[test]
fn bad_values_are_refused_by_name() {
    for text in [
        "min_chunk_size=0",
        "min_chunk_size=-1",
        "min_chunk_size=+5000",
        "min_chunk_size=1e6",
        "min_chunk_size=99999999999999999999",
        "min_chunk_size=17179869184GiB",
        "min_chunk_size=",
        "max_connections=0",
        "verbose=maybe",
        "user_agent=\"open",
        "user_agent=\"a\" b",
        "user_agent=\"a\u{1}b\"",
    ] {
        let error = text.parse::<Options>().unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidOption, "{text}");
        let key = text.split('=').next().unwrap();
        assert!(error.to_string().contains(key), "{text}: {error}");
    }
    assert!("verbose".parse::<Options>().is_err());
    assert!("verbose, max_retries=1".parse::<Options>().is_err());
}

#[test]
fn a_struct_with_a_value_out_of_bounds_does_not_validate() {
    let options = Options { max_connections: 0, ..Options::default() };
    let message = options.validate().unwrap_err().to_string();
    assert!(message.contains("max_connections"), "{message}");
}

proptest! {
    #[test]
    fn what_is_printed_parses_back(
        block in 1024u64..(1 << 30), cache: u64, ahead: bool, retries in 0u32..1000,
        agent in "[ -~]{0,40}", proxy in "\\PC{0,20}",
    ) {
        let options = Options {
            min_chunk_size: block, max_cache_size: cache, read_ahead: ahead, max_retries: retries,
            user_agent: agent, proxy, ..Options::default()
        };
        prop_assert_eq!(options.to_string().parse::<Options>().unwrap(), options);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,80}|[a-z_]{0,16}=[\"\\\\a-z,; ]{0,20}") {
        let _ = text.parse::<Options>();
    }
}

#[test]
fn headers_are_lines_that_cannot_smuggle_anything_in() {
    let options: Options = r#"headers="X-A: 1\nX-B: a, b", verbose=1"#.parse().unwrap();
    assert_eq!(options.headers, "X-A: 1\nX-B: a, b");
    for line in [
        "X-A",
        "X-A:",
        ": secret",
        "X A: secret",
        "X-A: secret\r\nX",
        "X-A: secret\rX-B: 1",
        "Range: secret",
        "accept-encoding: secret",
        "If-Range: secret",
        "Host: secret",
        "X-A: secret\u{1}",
        "\nX-A: secret",
    ] {
        let options = Options { headers: line.to_owned(), ..Options::default() };
        let message = options.validate().unwrap_err().to_string();
        assert!(message.contains("headers") && !message.contains("secret"), "{message}");
    }
    for secret in ["authorization", "password", "cookies"] {
        for injected in ["a\r\nX-B: topsecret", "topsecret\n", "topsecret\0"] {
            let mut options = Options::default();
            options.set(secret, injected);
            let message = options.validate().unwrap_err().to_string();
            assert!(message.contains(secret) && !message.contains("topsecret"), "{message}");
        }
    }
}

#[test]
fn secrets_are_not_shown() {
    let text =
        "authorization=topsecret, password=topsecret, headers=\"A: topsecret\", cookies=\"a=topsecret\"";
    let options: Options = text.parse().unwrap();
    assert!(!format!("{options:?}").contains("topsecret"), "{options:?}");
    assert!(options.to_string().contains("cookies=\"a=topsecret\""));
    // A value that wanted quotes.
    for text in
        ["password=a,topsecret", "cookies=a=b; topsecret=topsecret", "authorization=Digest a, topsecret"]
    {
        let message = text.parse::<Options>().unwrap_err().to_string();
        assert!(!message.contains("topsecret"), "{message}");
    }
}
