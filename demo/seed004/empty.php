<?php
exit;
