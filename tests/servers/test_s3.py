"""An S3 service that checks signatures: moto."""

import json
import re
import sys
import urllib.request
from pathlib import Path

import boto3
import pytest
from botocore.config import Config

from conftest import NWB
from programs import Program, free_port, needed
from support import output_of, run_python

REGION = "eu-west-1"


class S3:
    """A bucket `files`, whose object may be read with `key` and `secret` alone once it is `locked`."""

    def __init__(self, here, data, acl="private"):
        program = needed(str(Path(sys.executable).with_name("moto_server")))
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.log = here / "log"
        self.program = Program([program, "-H", "127.0.0.1", "-p", str(self.port)], self.port, self.log)
        root = {"aws_access_key_id": "root", "aws_secret_access_key": "root", "region_name": REGION}
        client = lambda name: boto3.client(  # noqa: E731
            name, endpoint_url=self.endpoint, config=Config(s3={"addressing_style": "path"}), **root
        )
        s3, iam = client("s3"), client("iam")
        s3.create_bucket(Bucket="files", CreateBucketConfiguration={"LocationConstraint": REGION})
        for name in (NWB, "large.h5"):
            s3.upload_file(str(data / name), "files", name, ExtraArgs={"ACL": acl})
        s3.put_object(Bucket="files", Key="a folder/100% of? it#1.h5", Body=(data / NWB).read_bytes())
        iam.create_user(UserName="reader")
        may_read = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}
        policy = json.dumps({"Version": "2012-10-17", "Statement": [may_read]})
        iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=policy)
        made = iam.create_access_key(UserName="reader")["AccessKey"]
        self.key, self.secret = made["AccessKeyId"], made["SecretAccessKey"]

    def lock(self):
        """From now on every request must be signed by somebody who may do it."""
        url = f"{self.endpoint}/moto-api/reset-auth"
        urllib.request.urlopen(urllib.request.Request(url, b"0", {"Content-Type": "text/plain"})).close()

    def statuses(self) -> list[str]:
        return re.findall(r"GET /files/.* HTTP/1\.1\S* (\d+)", self.log.read_text())


@pytest.fixture(scope="module")
def open_s3(data, tmp_path_factory):
    running = S3(tmp_path_factory.mktemp("s3"), data, "public-read")
    yield running
    running.program.stop()


@pytest.fixture(scope="module")
def s3(data, tmp_path_factory):
    running = S3(tmp_path_factory.mktemp("s3"), data)
    running.lock()
    yield running
    running.program.stop()


def place(s3) -> dict[str, object]:
    return {"s3_endpoint": s3.endpoint, "s3_region": REGION, "complete_small_files": False}


@pytest.mark.parametrize("name", [NWB, "large.h5"])
def test_every_value_comes_with_the_right_key(s3, equal, name):
    equal(f"s3://files/{name}", name, username=s3.key, password=s3.secret, **place(s3))
    assert "206" in s3.statuses()


def test_a_key_of_any_characters_is_signed_as_written(s3, equal):
    equal("s3://files/a folder/100% of? it#1.h5", NWB, username=s3.key, password=s3.secret, **place(s3))


def test_a_wrong_key_a_wrong_secret_and_a_wrong_name_are_told_apart(s3, refused):
    url = f"s3://files/{NWB}"
    refused(url, "denied", username="AKIDNOBODY", password=s3.secret, **place(s3))
    said = refused(url, "denied", username=s3.key, password="guessed", **place(s3))
    assert "guessed" not in said and s3.secret not in said
    refused("s3://files/none.h5", "not_found", username=s3.key, password=s3.secret, **place(s3))


def test_anonymous_reading_needs_no_key(open_s3, equal):
    equal(f"s3://files/{NWB}", s3_anonymous=True, **place(open_s3))
    equal(f"s3://files/{NWB}", **place(open_s3))


def test_an_object_that_is_not_public_is_denied_to_the_anonymous(s3, refused):
    refused(f"s3://files/{NWB}", "denied", s3_anonymous=True, **place(s3))


READ = """
import h5py, remfile_hdf5, sys
with h5py.File(sys.argv[1], "r", driver="remfile") as file:
    print(file["identifier"][()].decode())
"""


def test_keys_region_and_endpoint_come_from_the_environment_and_from_a_profile(s3, tmp_path):
    url, here = f"s3://files/{NWB}", {"AWS_ENDPOINT_URL_S3": s3.endpoint, "AWS_REGION": REGION}
    keys = {"AWS_ACCESS_KEY_ID": s3.key, "AWS_SECRET_ACCESS_KEY": s3.secret}
    by_keys = output_of(READ, url, **here, **keys)
    assert by_keys.strip()
    profile = tmp_path / "credentials"
    profile.write_text(f"[lab]\naws_access_key_id = {s3.key}\naws_secret_access_key = {s3.secret}\n")
    chosen = {"AWS_PROFILE": "lab", "AWS_SHARED_CREDENTIALS_FILE": str(profile)}
    assert output_of(READ, url, **here, **chosen) == by_keys
    wrong = run_python(READ, url, **here, **{**keys, "AWS_SECRET_ACCESS_KEY": "guessed"})
    assert wrong.returncode == 1 and "[denied]" in wrong.stderr and "guessed" not in wrong.stderr
